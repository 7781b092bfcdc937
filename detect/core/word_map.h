// A fixed map from lower-case ASCII words to flags, looked up without case. A word that is given several
// times has all of its flags.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/core/word_set.h"

namespace wafd::detect {

struct FlaggedWord {
  std::string_view text;
  std::uint32_t flags = 0;
};

template <std::size_t N>
class WordMap {
 public:
  consteval explicit WordMap(const FlaggedWord (&words)[N])
      : words_(joined(words)), table_(entries(words_)) {}

  const std::array<FlaggedWord, N>& words() const noexcept { return words_; }

  // 0 if the map has no such word.
  std::uint32_t flags(std::string_view word) const noexcept {
    const std::uint32_t* found = table_.find(word);
    return found == nullptr ? 0 : *found;
  }

 private:
  using Table = FixedWordMap<std::uint32_t, N>;

  static consteval std::array<FlaggedWord, N> joined(const FlaggedWord (&words)[N]) {
    std::array<FlaggedWord, N> out{};
    std::copy(std::begin(words), std::end(words), out.begin());
    std::sort(out.begin(), out.end(),
              [](const FlaggedWord& a, const FlaggedWord& b) { return a.text < b.text; });
    for (std::size_t i = N; i-- > 1;) {
      if (out[i - 1].text == out[i].text) out[i - 1].flags |= out[i].flags;
    }
    return out;
  }

  // The first of several has all flags, and is the one that the table keeps.
  static consteval std::array<typename Table::Entry, N> entries(const std::array<FlaggedWord, N>& words) {
    std::array<typename Table::Entry, N> out{};
    for (std::size_t i = 0; i < N; ++i) out[i] = {words[i].text, words[i].flags};
    return out;
  }

  std::array<FlaggedWord, N> words_;
  Table table_;
};

}  // namespace wafd::detect
