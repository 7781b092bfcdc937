// Hints made of the tables that an analyser reads, so that the two cannot part.
#pragma once

#include <string>
#include <string_view>

namespace wafd::detect {

// `word` as a part of an expression that means its octets alone.
inline std::string as_expression(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (std::string_view(".+*?()[]{}|^$\\").find(c) != std::string_view::npos) out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

// "(a|b|c)" of a WordSet, or of a range of entries with a member `word` or `text`, or of words themselves;
// `take` says of each entry whether it belongs in.
template <class Words, class Take>
std::string any_of(const Words& words, const Take& take) {
  std::string out;
  for (const auto& entry : words) {
    if (!take(entry)) continue;
    out += out.empty() ? '(' : '|';
    if constexpr (requires { entry.word; }) {
      out += as_expression(entry.word);
    } else if constexpr (requires { entry.text; }) {
      out += as_expression(entry.text);
    } else {
      out += as_expression(entry);
    }
  }
  return out + ')';
}
template <class Words>
std::string any_of(const Words& words) {
  return any_of(words, [](const auto&) { return true; });
}

}  // namespace wafd::detect
