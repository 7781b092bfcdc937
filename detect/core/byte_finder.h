// Finds the next byte of a set, sixteen at once where the processor can.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

#include <bit>

#include "detect/core/bytes.h"

namespace wafd {

// The set is of ASCII. Two bytes of 16 entries, one by the lower and one by the upper half of a byte, have
// a bit in common where the byte is in the set.
class ByteFinder {
 public:
  explicit constexpr ByteFinder(std::string_view set) {
    for (const char c : set) {
      has_[byte(c)] = true;
      lower_[byte(c) & 15] |= static_cast<unsigned char>(1u << (byte(c) >> 4));
    }
    for (unsigned i = 0; i < 8; ++i) upper_[i] = static_cast<unsigned char>(1u << i);
  }

  constexpr bool has(char c) const noexcept { return has_[byte(c)]; }

  // Position of the first byte of the set from `at` on, or text.size().
  std::size_t find(std::string_view text, std::size_t at) const noexcept { return first<0>(text, at); }
  // Calls use(position) for each byte of the set, in the order of the text.
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
      if (has_[byte(text[at])]) use(at);
    }
  }
  // A bit for each of the 64 bytes that is in the set; behind the first `count` perhaps none are set.
  std::uint64_t among_sixty_four(const char* bytes, std::size_t count = 64) const noexcept {
    std::uint64_t among = 0;
#if defined(__SSSE3__)
    for (unsigned i = 0; i < count; i += 16) among |= std::uint64_t{found_in(bytes + i)} << i;
#else
    for (unsigned i = 0; i < count; ++i) among |= std::uint64_t{has_[byte(bytes[i])]} << i;
#endif
    return among;
  }
#if defined(__SSSE3__)
  // A bit for each of the sixteen bytes that is not in the set.
  unsigned others_of_sixteen(const char* bytes) const noexcept { return found_in(bytes) ^ 0xffffu; }
#endif
  // Position of the first byte from `at` on that is not in the set, or text.size().
  std::size_t find_other(std::string_view text, std::size_t at) const noexcept {
    return first<0xffffu>(text, at);
  }

 private:
  // Of the bytes whose bits differ from `kTurned`'s.
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
    while (at < text.size() && has_[byte(text[at])] == (kTurned != 0)) ++at;
    return at;
  }

#if defined(__SSSE3__)
  // A bit for each of sixteen bytes.
  unsigned found_in(const char* bytes) const noexcept {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const __m128i lower = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lower_.data()));
    const __m128i upper = _mm_loadu_si128(reinterpret_cast<const __m128i*>(upper_.data()));
    // An index with its highest bit set gives 0: bytes from 0x80 are in no set.
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
