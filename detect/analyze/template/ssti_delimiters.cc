#include "detect/analyze/template/ssti_delimiters.h"

namespace wafd::detect {

Opener opener_at(std::string_view text, std::size_t at) noexcept {
  const char c = text[at];
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  switch (c) {
    case '{':
      if (next == '{') return {"}}", Delimited::kExpression, 2};
      if (next == '%') return {"%}", Delimited::kStatement, 2};
      return {"}", Delimited::kSingle, 1};
    case '$':
    case '#':
    case '*':
    case '~':
    case '@':
      if (next == '{') return {"}", Delimited::kExpression, 2};
      if (c == '@' && next == '(') return {")", Delimited::kNarrow, 2};
      return {};
    case '<':
      if (next == '%') return {"%>", Delimited::kCode, 2};
      return {};
    case '[':
      if (next == '[') return {"]]", Delimited::kNarrow, 2};
      if (next == '=') return {"]", Delimited::kNarrow, 2};
      return {};
    default:
      return {};
  }
}

std::size_t Closers::find(std::string_view close, std::size_t from) noexcept {
  for (Next& next : next_) {
    if (next.close.empty()) next.close = close;
    if (next.close != close) continue;
    if (next.at < from || !next.sought) {
      next.at = text_.find(close, from);
      next.sought = true;
    }
    return next.at;
  }
  return std::string_view::npos;
}

}  // namespace wafd::detect
