// What a piece of a long text begins inside of: a tag, or the delimiters of a template, that an earlier piece
// opened and did not close.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace wafd::detect {

class OpenContext {
 public:
  // Goes on to `end`; each byte of the text is looked at once. `text` must be the same each time.
  void read(std::string_view text, std::size_t end) noexcept;
  // The first bytes of what was opened last and is open there; empty: nothing is.
  std::string_view opening(std::string_view text) const noexcept;

 private:
  static constexpr std::size_t kNone = std::string_view::npos;
  enum Kind : std::size_t { kTag, kBlock, kExpression, kBraces, kKinds };  // <a  <%  ${ #{  {{

  std::size_t read_to_ = 0;
  std::array<std::size_t, kKinds> open_{kNone, kNone, kNone, kNone};  // where it begins
};

}  // namespace wafd::detect
