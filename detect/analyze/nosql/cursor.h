// Words and what is between them, for the languages of this room.
#pragma once

#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::detect::nosql {

constexpr bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '_' || c == '$'; }

constexpr std::string_view word_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  return text.substr(at, end - at);
}

// Each reads what it names behind white space, and stands behind it then; else it stays.
struct Cursor {
  std::string_view text;
  std::size_t at = 0;

  std::string_view word() noexcept {
    const std::string_view found = word_at(text, skip_space(text, at));
    if (!found.empty()) at = static_cast<std::size_t>(found.data() - text.data()) + found.size();
    return found;
  }
  bool word(std::string_view expected) noexcept {
    const std::size_t begin = skip_space(text, at);
    if (!iequals(word_at(text, begin), expected)) return false;
    at = begin + expected.size();
    return true;
  }
  bool number() noexcept {
    const std::string_view found = word();
    return !found.empty() && found.find_first_not_of("0123456789") == found.npos;
  }
  bool sign(char c) noexcept {
    const std::size_t begin = skip_space(text, at);
    if (begin >= text.size() || text[begin] != c) return false;
    at = begin + 1;
    return true;
  }
  bool sign(std::string_view signs) noexcept {
    const std::size_t begin = skip_space(text, at);
    if (!text.substr(begin).starts_with(signs)) return false;
    at = begin + signs.size();
    return true;
  }
  // Whatever stands between spaces.
  bool argument() noexcept {
    const std::size_t begin = skip_space(text, at);
    std::size_t end = begin;
    while (end < text.size() && !is_space(text[end])) ++end;
    const bool apart = begin > at;
    at = end;
    return apart && end > begin;
  }
  // a.b.c
  std::string_view path() noexcept {
    std::string_view last = word();
    while (!last.empty() && at < text.size() && text[at] == '.') {
      const std::string_view part = word_at(text, at + 1);
      if (part.empty()) return {};
      at += 1 + part.size();
      last = part;
    }
    return last;
  }
};

}  // namespace wafd::detect::nosql
