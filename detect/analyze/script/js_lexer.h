// Tokens of JavaScript (ECMA-262, clause 12 and annex B.1), of a text that may begin and end anywhere in a
// program. Bytes are UTF-8; any bytes give tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::js {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,         // identifiers and keywords, escapes not decoded
  kPrivateName,  // #name
  kNumber,
  kString,
  kTemplate,  // up to its end, or to the next ${
  kRegex,
  kSign,
  kUnknown,  // no token of the language: a string that the line's end cuts, 5m, a stray sign
};

enum class Sign : std::uint8_t {
  kNone,
  kOpenParen,
  kCloseParen,
  kOpenBracket,
  kCloseBracket,
  kOpenBrace,
  kCloseBrace,
  kDot,
  kOptional,  // ?.
  kSpread,
  kComma,
  kSemicolon,
  kQuestion,
  kColon,
  kArrow,
  kAssign,
  kCompoundAssign,  // += ??= …
  kPlus,
  kMinus,
  kNot,        // ! ~
  kIncrement,  // ++ --
  kLogical,    // || && ??
  kBinary,     // all others between two operands
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Sign sign = Sign::kNone;
  bool line_before = false;   // a line terminator stands between the last token and this one
  bool escaped = false;       // kName, kString: what ASCII names are made of is written as escapes
  bool open = false;          // kString, kTemplate: the text ends inside of it
  bool substitution = false;  // kTemplate: it ends with ${
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view text;  // as written; of strings and templates without what delimits them
};

// One walk; the text must outlive it. Linear time, no allocation.
class Lexer {
 public:
  Lexer(std::string_view text, std::size_t begin) noexcept
      : text_(text), at_(begin), line_begins_(begin == 0) {}

  // `operand`: the grammar expects one, so that "/" begins a regular expression.
  Token next(bool operand) noexcept;
  // Goes on with a template behind the "}" that ended its expression.
  Token rest_of_template() noexcept;
  // The text ends in a comment.
  bool ended_in_comment() const noexcept { return ended_in_comment_; }

 private:
  std::size_t skip_comment(std::size_t at) noexcept;
  void skip_blanks(Token& token) noexcept;
  void read_name(Token& token) noexcept;
  void read_number(Token& token) noexcept;
  void read_string(Token& token) noexcept;
  void read_template(Token& token) noexcept;
  bool read_regex(Token& token) noexcept;
  void read_sign(Token& token) noexcept;
  char at(std::size_t i) const noexcept { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  std::size_t at_;
  std::size_t no_regex_before_ = 0;  // up to there no "/" ends one
  bool line_begins_;                 // no token stands in this line yet: --> begins a comment
  bool ended_in_comment_ = false;
};

// Bytes of the white space or line terminator at text[at] (ECMA-262, 12.2 and 12.3), 0 if there is none.
// Control bytes pass for spaces: many filters and readers drop them.
std::size_t blank_bytes(std::string_view text, std::size_t at, bool& line_end) noexcept;

}  // namespace wafd::detect::js
