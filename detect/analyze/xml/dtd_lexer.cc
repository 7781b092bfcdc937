#include "detect/analyze/xml/dtd_lexer.h"

#include <algorithm>

#include "detect/core/bytes.h"

namespace wafd::detect::xml {

std::string_view DtdLexer::next() noexcept {
  at_ = skip_space(text_, at_);
  if (at_ >= text_.size() || text_[at_] == '>') return {};
  const std::size_t begin = at_;
  const char c = text_[at_];
  if (c == '"' || c == '\'') {
    const std::string_view rest = text_.substr(at_ + 1, kMaxLiteralBytes);
    at_ += 1 + std::min(rest.find(c), rest.size() - (rest.empty() ? 0 : 1)) + (rest.empty() ? 0 : 1);
    return text_.substr(begin, at_ - begin);
  }
  if (c == '[' || c == '%') return text_.substr(at_++, 1);
  constexpr std::string_view kEnds = "[]<>\"'%";
  while (at_ < text_.size() && !is_space(text_[at_]) && kEnds.find(text_[at_]) == std::string_view::npos)
    ++at_;
  at_ = std::max(at_, begin + 1);
  return text_.substr(begin, at_ - begin);
}

bool is_literal(std::string_view word) noexcept {
  return !word.empty() && (word[0] == '"' || word[0] == '\'');
}

std::string_view literal_text(std::string_view word) noexcept {
  if (!is_literal(word)) return {};
  const std::string_view text = word.substr(1);
  return text.ends_with(word[0]) ? text.substr(0, text.size() - 1) : text;
}

}  // namespace wafd::detect::xml
