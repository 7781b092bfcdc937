// Eval("name", default): the expression languages of forms and reports (PYSON of Tryton) ask for the value of
// a variable. For a language that evaluates code that is one name, which does nothing.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::detect {

// Whether the call of `name`, whose parenthesis stands at `open`, has one name in quotes as its first
// argument and a value that stands for it behind.
inline bool asks_for_variable(std::string_view text, std::string_view name, std::size_t open) noexcept {
  constexpr std::size_t kMostBytes = 64;  // of the variable's name
  if (!iequals(name, "eval") || open >= text.size() || text[open] != '(') return false;
  const std::size_t quote = skip_space(text, open + 1);
  if (quote >= text.size() || (text[quote] != '"' && text[quote] != '\'')) return false;
  std::size_t end = quote + 1;
  while (end < text.size() && end <= quote + kMostBytes && (is_alnum(text[end]) || text[end] == '_')) ++end;
  if (end >= text.size() || end == quote + 1 || text[end] != text[quote] || is_digit(text[quote + 1]))
    return false;
  const std::size_t next = skip_space(text, end + 1);
  return next < text.size() && text[next] == ',';
}

}  // namespace wafd::detect
