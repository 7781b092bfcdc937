// The words of a text, sixty-four octets at once where the processor can.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "detect/core/octet_finder.h"

namespace wafd::detect {

namespace word_runs {
inline constexpr std::size_t kBlockBytes = 64;
inline constexpr OctetFinder kLetters("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
inline constexpr OctetFinder kOctets("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

// A bit for each of the sixty-four octets that is in the set.
inline std::uint64_t in_set(const OctetFinder& set, const char* octets) noexcept {
  std::uint64_t found = 0;
#if defined(__SSSE3__)
  for (unsigned i = 0; i < kBlockBytes; i += 16)
    found |= std::uint64_t{set.others_of_sixteen(octets + i) ^ 0xffffu} << i;
#else
  for (unsigned i = 0; i < kBlockBytes; ++i) found |= std::uint64_t{set.has(octets[i])} << i;
#endif
  return found;
}
}  // namespace word_runs

// Whether `wanted(begin, end)` holds for a word: a run of a-z, 0-9 and _ without case, from its first letter
// on. In the order of the text, to the first for which it holds.
template <class Wanted>
bool any_word(std::string_view text, Wanted&& wanted) {
  using namespace word_runs;
  std::size_t done = 0;  // behind the last word
  char rest[kBlockBytes];
  for (std::size_t at = 0; at < text.size(); at += kBlockBytes) {
    const char* block = text.data() + at;
    if (text.size() - at < kBlockBytes) {
      std::memset(rest, 0, sizeof rest);
      std::memcpy(rest, block, text.size() - at);
      block = rest;
    }
    if (done >= at + kBlockBytes) continue;
    const std::uint64_t octets = in_set(kOctets, block);
    std::uint64_t letters = in_set(kLetters, block);
    if (done > at) letters &= ~std::uint64_t{0} << (done - at);
    while (letters != 0) {
      const int first = std::countr_zero(letters);
      const int size = std::countr_one(octets >> first);
      const std::size_t begin = at + static_cast<std::size_t>(first);
      std::size_t end = begin + static_cast<std::size_t>(size);
      if (first + size == static_cast<int>(kBlockBytes)) end = kOctets.find_other(text, end);
      if (wanted(begin, end)) return true;
      done = end;
      if (end >= at + kBlockBytes) break;
      letters &= ~std::uint64_t{0} << (end - at);
    }
  }
  return false;
}

}  // namespace wafd::detect
