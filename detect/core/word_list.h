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

// constexpr auto kNames = split_words([] { return "one two three"; }); the words are views of the literal.
template <class Text>
consteval auto split_words(Text literal) {
  std::string_view text = literal();
  WordList<count_words(Text{}())> out{};
  for (std::string_view& word : out.words) {
    const std::size_t end = text.find(' ') == std::string_view::npos ? text.size() : text.find(' ');
    word = text.substr(0, end);
    text.remove_prefix(end == text.size() ? end : end + 1);
  }
  return out;
}

}  // namespace wafd::detect
