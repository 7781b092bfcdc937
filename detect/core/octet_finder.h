// Finds the next octet of a set, sixteen at once where the processor can.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

#include <bit>

#include "detect/core/octets.h"

namespace wafd {

// The set is of ASCII. Two octets of 16 entries, one by the lower and one by the upper half of an octet, have
// a bit in common where the octet is in the set.
class OctetFinder {
 public:
  explicit constexpr OctetFinder(std::string_view set) {
    for (const char c : set) {
      has_[octet(c)] = true;
      lower_[octet(c) & 15] |= static_cast<unsigned char>(1u << (octet(c) >> 4));
    }
    for (unsigned i = 0; i < 8; ++i) upper_[i] = static_cast<unsigned char>(1u << i);
  }

  constexpr bool has(char c) const noexcept { return has_[octet(c)]; }

  // Position of the first octet of the set from `at` on, or text.size().
  std::size_t find(std::string_view text, std::size_t at) const noexcept { return first<0>(text, at); }
  // Calls use(position) for each octet of the set, in the order of the text.
  template <class Use>
  void each(std::string_view text, Use&& use) const {
    std::size_t at = 0;
#if defined(__SSSE3__)
    for (; at + 16 <= text.size(); at += 16) {
      for (unsigned found = found_in(text.data() + at); found != 0; found &= found - 1)
        use(at + static_cast<std::size_t>(std::countr_zero(found)));
    }
#endif
    for (; at < text.size(); ++at) {
      if (has_[octet(text[at])]) use(at);
    }
  }
#if defined(__SSSE3__)
  // A bit for each of the sixteen octets that is not in the set.
  unsigned others_of_sixteen(const char* octets) const noexcept { return found_in(octets) ^ 0xffffu; }
#endif
  // Position of the first octet from `at` on that is not in the set, or text.size().
  std::size_t find_other(std::string_view text, std::size_t at) const noexcept {
    return first<0xffffu>(text, at);
  }

 private:
  // Of the octets whose bits differ from `kTurned`'s.
  template <unsigned kTurned>
  std::size_t first(std::string_view text, std::size_t at) const noexcept {
#if defined(__SSSE3__)
    if (text.size() >= 16) {
      for (; at + 16 <= text.size(); at += 16) {
        if (const unsigned found = found_in(text.data() + at) ^ kTurned; found != 0)
          return at + static_cast<std::size_t>(std::countr_zero(found));
      }
      // The rest with some of what was read before it.
      const std::size_t last = text.size() - 16;
      if (at >= text.size()) return text.size();
      const unsigned found = (found_in(text.data() + last) ^ kTurned) >> (at - last);
      return found == 0 ? text.size() : at + static_cast<std::size_t>(std::countr_zero(found));
    }
#endif
    while (at < text.size() && has_[octet(text[at])] == (kTurned != 0)) ++at;
    return at;
  }

#if defined(__SSSE3__)
  // A bit for each of sixteen octets.
  unsigned found_in(const char* octets) const noexcept {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(octets));
    const __m128i lower = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lower_.data()));
    const __m128i upper = _mm_loadu_si128(reinterpret_cast<const __m128i*>(upper_.data()));
    // An index with its highest bit set gives 0: octets from 0x80 are in no set.
    const __m128i low = _mm_shuffle_epi8(lower, v);
    const __m128i high = _mm_shuffle_epi8(upper, _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(15)));
    const __m128i none = _mm_cmpeq_epi8(_mm_and_si128(low, high), _mm_setzero_si128());
    return static_cast<unsigned>(_mm_movemask_epi8(none)) ^ 0xffffu;
  }
#endif

  std::array<unsigned char, 16> lower_{};
  std::array<unsigned char, 16> upper_{};
  std::array<bool, 256> has_{};
};

}  // namespace wafd
