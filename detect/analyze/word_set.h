// A fixed set of lower-case ASCII words, sorted when compiled, looked up without case.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "detect/core/octets.h"

namespace wafd::detect {

template <std::size_t N>
class WordSet {
 public:
  // Words are lower case and at most kMaxWordBytes long.
  static constexpr std::size_t kMaxWordBytes = 64;

  consteval explicit WordSet(const std::string_view (&words)[N]) {
    std::copy(std::begin(words), std::end(words), words_.begin());
    std::sort(words_.begin(), words_.end());
    for (const std::string_view word : words_) longest_ = std::max(longest_, word.size());
    if (longest_ > kMaxWordBytes) throw "word too long";
  }

  bool has(std::string_view word) const noexcept {
    if (word.empty() || word.size() > longest_) return false;
    char lower[kMaxWordBytes];
    for (std::size_t i = 0; i < word.size(); ++i) lower[i] = to_lower(word[i]);
    return std::binary_search(words_.begin(), words_.end(), std::string_view(lower, word.size()));
  }

  std::size_t longest() const noexcept { return longest_; }
  const std::array<std::string_view, N>& words() const noexcept { return words_; }

 private:
  std::array<std::string_view, N> words_{};
  std::size_t longest_ = 0;
};

}  // namespace wafd::detect
