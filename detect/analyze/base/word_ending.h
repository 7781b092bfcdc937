// "sleep(ing) bags": prose puts the rest of a word in parentheses. For programs it is a call with one
// name as its argument.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect {

// Whether the parenthesis at `open` holds an ending of English verbs and nothing else, directly behind a
// letter, and no member or operator stands behind it.
inline bool ends_a_word(std::string_view text, std::size_t open) noexcept {
  static constexpr WordSet kEndings({"ed", "er", "ers", "es", "ing", "ings"});
  if (open == 0 || open >= text.size() || text[open] != '(' || !is_alpha(text[open - 1])) return false;
  constexpr std::size_t kMostBytes = 6;  // of the longest with its parentheses
  const std::size_t size = text.substr(open, kMostBytes).find(')');
  if (size == std::string_view::npos || !kEndings.has(text.substr(open + 1, size - 1))) return false;
  const std::size_t close = open + size;
  const std::size_t next = skip_space(text, close + 1);
  return next >= text.size() || is_alpha(text[next]) || text[next] == ',' || text[next] == '.' ||
         text[next] == '?';
}

}  // namespace wafd::detect
