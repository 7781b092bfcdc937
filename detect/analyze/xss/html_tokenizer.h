// Tags of HTML as browsers read them (HTML, 13.2.5.6 to 13.2.5.40), of a text that may begin and end anywhere
// in a page.
//
// Where the text lands is not known: every "<" that can begin a tag begins one, in comments, raw text and
// other tags too. A tag that another one cuts hands what its element does on to that: <script <b src=…>.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/analyze/xss/html_names.h"

namespace wafd::detect::xss {

struct Attribute {
  std::string_view name;
  std::string_view value;  // character references not decoded
  bool has_value = false;
  bool open = false;  // the text ends inside of its quotes
  char quote = '\0';  // ' " ` or none
  std::size_t begin = 0;
};

struct Tag {
  std::string_view name;  // without the prefix of a namespace
  Element does = Element::kNone;
  bool closing = false;  // </name
  bool prefixed = false;
  bool cut = false;       // another tag begins in it
  bool finished = false;  // its ">" was seen
  std::size_t begin = 0;
  std::size_t end = 0;  // set when its last attribute was read
};

// One walk; the text must outlive it. Linear time, no allocation.
class HtmlTokenizer {
 public:
  explicit HtmlTokenizer(std::string_view text, std::size_t begin = 0) noexcept : text_(text), at_(begin) {}

  // The next tag; false at the end. What is left of the tag before it is passed over.
  bool next_tag(Tag& tag) noexcept;
  // Its next attribute; false at its end, which is then in `tag`.
  bool next_attribute(Tag& tag, Attribute& attribute) noexcept;
  // Where the walk stands.
  std::size_t position() const noexcept { return at_; }

 private:
  bool begins_tag(std::size_t at) const noexcept;
  void read_value(Attribute& attribute) noexcept;

  std::string_view text_;
  std::size_t at_;
  bool in_tag_ = false;
  Element cut_ = Element::kNone;  // what the tags do that the next one cuts
};

}  // namespace wafd::detect::xss
