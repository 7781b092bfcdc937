// Tokens of LDAP filters (RFC 4515), of a text that may begin and end anywhere in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wafd::detect::ldap {

enum class TokenKind : std::uint8_t {
  kEnd,
  kOpen,       // (
  kClose,      // )
  kOperator,   // & | ! directly behind a parenthesis, white space aside
  kAttribute,  // attribute and operator: uid=  mail>=  cn:dn:2.5.13.2:=
  kValue,      // what is compared, up to a parenthesis; perhaps with white space around it
  kNul,        // where readers written in C stop
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool known = false;     // kAttribute: of a schema, or an extensible match (attr:rule:=)
  bool wildcard = false;  // kValue: holds "*"
  bool blank = false;     // kValue: white space alone
};

// One walk; the text must outlive it. Linear time.
class FilterLexer {
 public:
  explicit FilterLexer(std::string_view text) noexcept : text_(text) {}
  Token next() noexcept;

 private:
  Token attribute_at(std::size_t begin) const noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
  bool item_begins_ = false;  // behind a parenthesis that opens, or an operator
};

}  // namespace wafd::detect::ldap
