// Octets in 32 groups, so that a set of them is a word: for a quick look at the places around a find.
#pragma once

#if defined(__SSE4_1__)
#include <smmintrin.h>
#endif

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "detect/octet_set.h"

namespace wafd::detect {

// By octet: one bit, that of its group. Group 0 is the edge of a text.
extern const std::array<std::uint32_t, 256> kGroupBit;
inline constexpr std::uint32_t kEdgeGroup = 1;

// The groups that hold any of the set.
std::uint32_t groups_of(const OctetSet& set) noexcept;

// The group of text[at]; `at` may be outside.
inline std::uint32_t group_at(std::string_view text, std::ptrdiff_t at) noexcept {
  const bool inside = static_cast<std::size_t>(at) < text.size();
  return inside ? kGroupBit[static_cast<unsigned char>(text[static_cast<std::size_t>(at)])] : kEdgeGroup;
}

// Eight places of a text in a row, each as its group's bit or as the groups that may stand there.
inline constexpr std::size_t kWindowPlaces = 8;
struct alignas(16) Window {
  std::array<std::uint32_t, kWindowPlaces> groups{};
  bool operator==(const Window&) const = default;
};

// Whether every place of text[at] and what follows is in one of the groups that `allowed` has there. Reads
// the text once for many windows.
class WindowReader {
 public:
  WindowReader(std::string_view text, std::ptrdiff_t at) noexcept {
    const bool inside = at >= 0 && static_cast<std::size_t>(at) + kWindowPlaces <= text.size();
    const char* from = text.data() + at;
    const auto group = [&](std::ptrdiff_t i) {
      return inside ? kGroupBit[static_cast<unsigned char>(from[i])] : group_at(text, at + i);
    };
#if defined(__SSE4_1__)
    const auto four = [&](std::ptrdiff_t i) {
      return _mm_setr_epi32(static_cast<int>(group(i)), static_cast<int>(group(i + 1)),
                            static_cast<int>(group(i + 2)), static_cast<int>(group(i + 3)));
    };
    low_ = four(0);
    high_ = four(4);
#else
    for (std::size_t i = 0; i < kWindowPlaces; ++i) groups_[i] = group(static_cast<std::ptrdiff_t>(i));
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
    for (std::size_t i = 0; i < kWindowPlaces; ++i)
      missing |= (groups_[i] & allowed.groups[i]) == 0 ? 1u : 0u;
    return missing == 0;
#endif
  }

 private:
#if defined(__SSE4_1__)
  __m128i low_;
  __m128i high_;
#else
  std::array<std::uint32_t, kWindowPlaces> groups_;
#endif
};

}  // namespace wafd::detect
