// Reads HTML tags the way a browser's tokenizer does (HTML standard, 13.2.5.6 to 13.2.5.40), from any octets.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace wafd::detect {

struct HtmlAttribute {
  std::string_view name;   // as written, without quotes and control octets at its ends
  std::string_view value;  // as written, character references not decoded
  bool has_value = false;
  char quote = 0;  // '"', '\'', '`' or 0
};

struct HtmlTag {
  std::string_view name;                  // as written; a namespace prefix ("svg:") is cut off
  bool closing = false;                   // </name
  bool finished = false;                  // its '>' was seen
  std::size_t begin = 0;                  // of '<', or of the attribute list
  std::size_t end = 0;                    // behind '>', or the end of the text
  std::vector<HtmlAttribute> attributes;  // at most kMaxAttributes

  static constexpr std::size_t kMaxAttributes = 64;

  // First attribute of that lower-case name; null if there is none.
  const HtmlAttribute* find(std::string_view name_lower) const noexcept;
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

// Reads attributes from text[at] up to '>' or the end into `tag`; sets finished and end.
void read_html_attributes(std::string_view text, std::size_t at, HtmlTag& tag);

}  // namespace wafd::detect
