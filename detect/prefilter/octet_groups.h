// Octets in 32 groups, so that a set of them is a word: for a quick look at the places around a find.
#pragma once

#if defined(__SSE4_1__)
#include <smmintrin.h>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "detect/prefilter/octet_set.h"

namespace wafd::detect {

// By octet of a text that is laid out: one bit, that of its group. Group 0 is the edge of a text: kOutside,
// which stands around it. A text that holds this octet itself has the one below in its place.
extern const std::array<std::uint32_t, 256> kGroupBit;
inline constexpr std::uint32_t kEdgeGroup = 1;
inline constexpr unsigned char kOutside = 0xff;
constexpr unsigned char inside(unsigned char octet) noexcept {
  return octet == kOutside ? kOutside - 1 : octet;
}

// The groups that hold any of the set.
std::uint32_t groups_of(const OctetSet& set) noexcept;

// The four places before and the four behind a piece of a text, each as its group's bit or as the groups that
// may stand there.
inline constexpr std::size_t kWindowHalf = 4;
struct alignas(16) Window {
  std::array<std::uint32_t, 2 * kWindowHalf> groups{};
  bool operator==(const Window&) const = default;
};

// Whether every octet around is in one of the groups that `allowed` has there. Reads the octets once for many
// windows.
class WindowReader {
 public:
  // The piece is from `begin` to `end`.
  WindowReader(const unsigned char* begin, const unsigned char* end) noexcept {
#if defined(__SSE4_1__)
    const auto four = [](const unsigned char* octets) {
      const auto group = [&](std::size_t i) { return static_cast<int>(kGroupBit[octets[i]]); };
      return _mm_setr_epi32(group(0), group(1), group(2), group(3));
    };
    low_ = four(begin - kWindowHalf);
    high_ = four(end);
#else
    for (std::size_t i = 0; i < kWindowHalf; ++i) {
      groups_[i] = kGroupBit[(begin - kWindowHalf)[i]];
      groups_[kWindowHalf + i] = kGroupBit[end[i]];
    }
#endif
  }

  bool fits(const Window& allowed) const noexcept {
#if defined(__SSE4_1__)
    const auto* sets = reinterpret_cast<const __m128i*>(allowed.groups.data());
    const __m128i zero = _mm_setzero_si128();
    const __m128i low = _mm_cmpeq_epi32(_mm_and_si128(low_, _mm_load_si128(sets)), zero);
    const __m128i high = _mm_cmpeq_epi32(_mm_and_si128(high_, _mm_load_si128(sets + 1)), zero);
    const __m128i missing = _mm_or_si128(low, high);
    return _mm_testz_si128(missing, missing) != 0;
#else
    std::uint32_t missing = 0;  // one comparison at the end: none of the eight is likely to decide
    for (std::size_t i = 0; i < groups_.size(); ++i)
      missing |= (groups_[i] & allowed.groups[i]) == 0 ? 1u : 0u;
    return missing == 0;
#endif
  }

 private:
#if defined(__SSE4_1__)
  __m128i low_;
  __m128i high_;
#else
  std::array<std::uint32_t, 2 * kWindowHalf> groups_;
#endif
};

}  // namespace wafd::detect
