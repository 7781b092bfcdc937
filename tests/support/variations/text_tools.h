// Small steps on texts that the languages' rules share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::variations {

// Every `from` becomes `to`. False if there is none.
inline bool replace_all(std::string_view in, std::string_view from, std::string_view to, std::string& out) {
  out.clear();
  bool changed = false;
  for (std::size_t at = 0; at < in.size();) {
    if (in.substr(at).starts_with(from)) {
      out += to;
      at += from.size();
      changed = true;
    } else {
      out += in[at++];
    }
  }
  return changed;
}

inline bool is_word(char c) { return is_alnum(c) || c == '_'; }

// Without ASCII case, between bytes that are no part of words.
inline std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = ifind(text, word, from); at != std::string_view::npos;
       at = ifind(text, word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

inline bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (ifind(text, word) != std::string_view::npos) return true;
  }
  return false;
}

inline std::string alternate_case(std::string_view word, bool upper_first) {
  std::string out(word);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool upper = (i % 2 == 0) == upper_first;
    out[i] = upper && is_lower(out[i]) ? static_cast<char>(out[i] - 32) : upper ? out[i] : to_lower(out[i]);
  }
  return out;
}

// A quote that the text does not hold, or 0.
inline char free_quote(std::string_view text) {
  if (text.find('"') == std::string_view::npos) return '"';
  return text.find('\'') == std::string_view::npos ? '\'' : '\0';
}

}  // namespace wafd::variations
