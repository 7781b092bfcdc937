// Lists of words written as one text, parted when compiled: long tables stay readable.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

// Words are parted by single spaces; the last one may have a space behind it.
consteval std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == ' ' || i + 1 == text.size();
    if (ends) ++words;
    if (text[i] == ' ' && (i == 0 || text[i - 1] == ' ')) throw "two spaces";
  }
  return words;
}

template <std::size_t N>
struct WordList {
  std::string_view words[N];
};

// constexpr auto kNames = split_words<count_words(kText)>(kText); the words are views of `text`.
template <std::size_t N>
consteval WordList<N> split_words(std::string_view text) {
  WordList<N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    const std::size_t end = text.find(' ') == std::string_view::npos ? text.size() : text.find(' ');
    out.words[i] = text.substr(0, end);
    text.remove_prefix(end == text.size() ? end : end + 1);
  }
  return out;
}

}  // namespace wafd::detect
