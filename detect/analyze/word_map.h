// A fixed map from lower-case ASCII words to flags, sorted when compiled, looked up without case.
//
// A word that is given several times has all of its flags. Most words of a text are none of the map's, which
// a table of first letters and lengths tells at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/core/octets.h"

namespace wafd::detect {

struct FlaggedWord {
  std::string_view text;
  std::uint32_t flags = 0;
};

template <std::size_t N>
class WordMap {
 public:
  static constexpr std::size_t kMaxWordBytes = 63;

  consteval explicit WordMap(const FlaggedWord (&words)[N]) {
    std::copy(std::begin(words), std::end(words), words_.begin());
    std::sort(words_.begin(), words_.end(),
              [](const FlaggedWord& a, const FlaggedWord& b) { return a.text < b.text; });
    for (std::size_t i = N; i-- > 1;) {
      if (words_[i - 1].text == words_[i].text) words_[i - 1].flags |= words_[i].flags;
    }
    for (const FlaggedWord& word : words_) {
      if (word.text.empty() || word.text.size() > kMaxWordBytes) throw "word of an odd length";
      lengths_[octet(word.text[0]) & 63u] |= std::uint64_t{1} << word.text.size();
    }
    // Words with the same first octet stand together.
    for (std::size_t i = N; i-- > 0;) first_[octet(words_[i].text[0]) & 63u] = static_cast<std::uint16_t>(i);
  }

  const std::array<FlaggedWord, N>& words() const noexcept { return words_; }

  // 0 if the map has no such word.
  std::uint32_t flags(std::string_view word) const noexcept {
    if (word.empty() || word.size() > kMaxWordBytes) return 0;
    const std::size_t slot = octet(to_lower(word[0])) & 63u;
    if ((lengths_[slot] >> word.size() & 1u) == 0) return 0;
    for (std::size_t i = first_[slot]; i < N && (octet(words_[i].text[0]) & 63u) == slot; ++i) {
      if (iequals(words_[i].text, word)) return words_[i].flags;
    }
    return 0;
  }

 private:
  std::array<FlaggedWord, N> words_{};
  std::array<std::uint64_t, 64> lengths_{};  // by first octet: bit n for a word of n octets
  std::array<std::uint16_t, 64> first_{};    // by first octet: where its words begin
};

}  // namespace wafd::detect
