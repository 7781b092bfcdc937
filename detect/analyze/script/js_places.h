// Where in a text JavaScript might act: one cheap walk before anything is tokenized.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

// Finds every octet near which the reader of JavaScript (js_reader.h) can find something: words by what
// follows them, brackets behind an operand that hold text, escaped letters of names, brackets without
// content. It takes too much rather than too little: prose that names a function and a bracket behind it is a
// place.
class JsPlaces {
 public:
  explicit JsPlaces(std::string_view text) noexcept : text_(text) {}

  // The next place, or false at the end.
  bool next(std::size_t& place) noexcept;

  // Empty brackets beside other signs were met: code of signs alone is possible.
  bool signs() const noexcept { return signs_; }

 private:
  bool word_acts(std::size_t begin, std::size_t end) const noexcept;
  bool bracket_acts(std::size_t at) noexcept;
  std::size_t behind_gap(std::size_t at) const noexcept;
  char octet_at(std::size_t at) const noexcept { return at < text_.size() ? text_[at] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
  bool signs_ = false;
};

}  // namespace wafd::detect
