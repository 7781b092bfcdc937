// Words of declarations of XML (XML 1.0 sections 2.8 and 4.2): names, quoted literals, [ and %.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect::xml {

// From behind "<!ENTITY" on; the text must outlive it. A literal that nothing closes ends at
// kMaxLiteralBytes.
class DtdLexer {
 public:
  static constexpr std::size_t kMaxLiteralBytes = 2048;

  DtdLexer(std::string_view text, std::size_t at) noexcept : text_(text), at_(at) {}

  // Empty at > and at the end.
  std::string_view next() noexcept;
  std::size_t at() const noexcept { return at_; }

 private:
  std::string_view text_;
  std::size_t at_;
};

bool is_literal(std::string_view word) noexcept;

// The text between the quotes.
std::string_view literal_text(std::string_view word) noexcept;

}  // namespace wafd::detect::xml
