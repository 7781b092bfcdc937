#include "detect/analyze/template/expression_lexer.h"

#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::templates {
namespace {}  // namespace

std::size_t ExpressionLexer::string_end(std::size_t begin) const noexcept {
  const char quote = text_[begin];
  for (std::size_t at = begin + 1; at < text_.size(); ++at) {
    if (text_[at] == '\\')
      ++at;
    else if (text_[at] == quote)
      return at + 1;
  }
  return text_.size();
}

std::size_t ExpressionLexer::sign_end(std::size_t begin) const noexcept {
  const std::string_view pair = text_.substr(begin, 2);
  for (const std::string_view known : {"==", "!=", "<=", ">=", "&&", "||", "**", "//", "<<", ">>", "<>"}) {
    if (pair == known) return begin + 2;
  }
  return begin + 1;
}

Token ExpressionLexer::next() noexcept {
  count_steps(10);
  const std::size_t begin = skip_space(text_, at_);
  Token token{TokenKind::kEnd, begin, begin, '\0', begin != at_};
  if (begin >= text_.size()) {
    at_ = text_.size();
    return token;
  }
  while (!groups_.empty() && groups_.front().begin < begin) groups_ = groups_.subspan(1);
  const char c = text_[begin];
  const char behind = begin + 1 < text_.size() ? text_[begin + 1] : '\0';
  token.sign = c;
  token.end = begin + 1;
  if (!groups_.empty() && groups_.front().begin == begin) {
    token.kind = TokenKind::kGroup;
    token.end = groups_.front().end;
  } else if (is_digit(c)) {
    token.kind = TokenKind::kNumber;
    while (token.end < text_.size() &&
           (is_name_byte(text_[token.end]) ||
            (text_[token.end] == '.' && token.end + 1 < text_.size() && is_digit(text_[token.end + 1]))))
      ++token.end;
  } else if (is_name_byte(c)) {
    token.kind = TokenKind::kName;
    while (token.end < text_.size() && is_name_byte(text_[token.end])) ++token.end;
  } else if (c == '\'' || c == '"' || c == '`') {
    token.kind = TokenKind::kString;
    token.end = string_end(begin);
  } else if (c == '(' || c == '[' || c == '{') {
    token.kind = TokenKind::kOpen;
  } else if (c == ')' || c == ']' || c == '}') {
    token.kind = TokenKind::kClose;
  } else if (c == '.') {
    token.kind = TokenKind::kDot;
  } else if ((c == '?' && behind == '.') || (c == '-' && behind == '>') || (c == ':' && behind == ':')) {
    token.kind = TokenKind::kDot;
    token.end = begin + 2;
  } else {
    token.kind = TokenKind::kSign;
    token.end = sign_end(begin);
  }
  at_ = token.end;
  return token;
}

}  // namespace wafd::detect::templates
