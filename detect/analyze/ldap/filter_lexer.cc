#include "detect/analyze/ldap/filter_lexer.h"

#include <algorithm>

#include "detect/analyze/ldap/attributes.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect::ldap {
namespace {

constexpr ByteFinder kValueEnds({"()\0", 3});

// Of an attribute description with its options (RFC 4512 section 2.5).
bool is_attribute_byte(char c) noexcept { return is_alnum(c) || c == '-' || c == ';' || c == '.'; }

std::size_t skip_attribute(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_attribute_byte(text[at])) ++at;
  return at;
}

}  // namespace

// kEnd if none begins there.
Token FilterLexer::attribute_at(std::size_t begin) const noexcept {
  Token token{TokenKind::kEnd, begin, begin};
  std::size_t at = skip_attribute(text_, begin);
  if (at == begin || !is_alnum(text_[begin])) return token;
  token.known = kAttributes.has(text_.substr(begin, at - begin));
  while (at + 1 < text_.size() && text_[at] == ':' && is_alnum(text_[at + 1])) {
    at = skip_attribute(text_, at + 1);
    token.known = true;
  }
  if (at + 1 < text_.size() && text_[at + 1] == '=' && std::string_view("~<>:").find(text_[at]) != text_.npos)
    ++at;
  if (at >= text_.size() || text_[at] != '=') return token;
  token.kind = TokenKind::kAttribute;
  token.end = at + 1;
  return token;
}

Token FilterLexer::next() noexcept {
  const std::size_t begin = item_begins_ ? skip_space(text_, at_) : at_;
  if (begin >= text_.size()) {
    at_ = text_.size();
    return {TokenKind::kEnd, at_, at_};
  }
  const char c = text_[begin];
  Token token{TokenKind::kValue, begin, begin + 1};
  if (c == '(' || c == ')') {
    token.kind = c == '(' ? TokenKind::kOpen : TokenKind::kClose;
    item_begins_ = c == '(';
  } else if (c == '\0') {
    token.kind = TokenKind::kNul;
    item_begins_ = false;
  } else if (item_begins_ && (c == '&' || c == '|' || c == '!')) {
    token.kind = TokenKind::kOperator;
  } else {
    const Token attribute = item_begins_ ? attribute_at(begin) : Token{};
    item_begins_ = false;
    if (attribute.kind == TokenKind::kAttribute) {
      token = attribute;
    } else {
      token.end = kValueEnds.find(text_, begin);
      token.wildcard = text_.substr(begin, token.end - begin).find('*') != std::string_view::npos;
      token.blank = skip_space(text_.substr(0, token.end), begin) == token.end;
    }
  }
  at_ = token.end;
  return token;
}

}  // namespace wafd::detect::ldap
