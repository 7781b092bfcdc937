// Tokens of the expressions that stand in templates: what the lexical grammars of Python, Ruby, PHP, Java,
// JavaScript and Go have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wafd::detect::templates {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,    // letters, digits, _
  kNumber,  // 7, 0x1f, 1.5e3
  kString,  // '…', "…", `…`; ended or not
  kOpen,    // ( [ {
  kClose,   // ) ] }
  kDot,     // . ?. -> ::
  kSign,    // any other sign; ==, !=, <=, >=, &&, ||, **, //, << and >> as one
  kGroup,   // a stretch that was read before: another pair of delimiters
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::size_t begin = 0;
  std::size_t end = 0;
  char sign = '\0';     // first byte of signs, brackets and strings
  bool spaced = false;  // white space stands before it
};

struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// One walk over text[begin, end); stretches of `groups` (in order, none in another) are one token each. Both
// must outlive it. Linear time.
class ExpressionLexer {
 public:
  ExpressionLexer(std::string_view text, std::size_t begin, std::size_t end,
                  std::span<const Stretch> groups) noexcept
      : text_(text.substr(0, end)), at_(begin), groups_(groups) {}
  Token next() noexcept;

 private:
  std::size_t sign_end(std::size_t begin) const noexcept;
  std::size_t string_end(std::size_t begin) const noexcept;

  std::string_view text_;
  std::size_t at_;
  std::span<const Stretch> groups_;
};

}  // namespace wafd::detect::templates
