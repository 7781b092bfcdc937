// Reads HTML tags the way a browser's tokenizer does (HTML standard, 13.2.5.6 to 13.2.5.40), from any octets.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace wafd::detect {

struct HtmlAttribute {
  std::string_view name;   // as written, without quotes and control octets at its ends
  std::string_view value;  // as written, character references not decoded
  bool has_value = false;
  bool open = false;  // its quote is never closed
  char quote = 0;     // '"', '\'', '`' or 0
};

class HtmlTag {
 public:
  static constexpr std::size_t kMaxAttributes = 64;  // further ones are passed over

  std::string_view name;  // as written; a namespace prefix ("svg:") is cut off
  bool prefixed = false;  // it had one
  bool cut = false;       // another '<' ends it
  bool closing = false;   // </name
  bool finished = false;  // its '>' was seen
  bool valued = false;    // an attribute has a value
  std::size_t begin = 0;  // of '<', or of the attribute list
  std::size_t end = 0;    // behind '>', or the end of the text

  std::span<const HtmlAttribute> attributes() const noexcept { return {attributes_.data(), count_}; }
  // First attribute of that lower-case name; null if there is none.
  const HtmlAttribute* find(std::string_view name_lower) const noexcept;

  void clear_attributes() noexcept;
  void add(const HtmlAttribute& attribute) noexcept;

 private:
  std::array<HtmlAttribute, kMaxAttributes> attributes_;
  std::size_t count_ = 0;
};

// Every '<' that begins a tag is looked at, also one inside another tag's attributes or inside raw text: what
// a reader takes for text depends on where the value lands, and that is not known here. Work is bounded by a
// small multiple of the text.
class HtmlReader {
 public:
  explicit HtmlReader(std::string_view text) : text_(text), budget_(4 * text.size() + 256) {}

  // Next tag, or false at the end. Views in `tag` point into the text.
  bool next(HtmlTag& tag);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t budget_;  // octets that may still be read again
};

// Reads attributes from text[at] up to '>' or the end into `tag`; sets finished, valued and end.
void read_html_attributes(std::string_view text, std::size_t at, HtmlTag& tag);

}  // namespace wafd::detect
