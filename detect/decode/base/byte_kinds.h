// The kinds of bytes that a text contains, found in one walk, so that a decoder that needs what is not there
// is not even asked.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect {

enum ByteKind : std::uint32_t {
  kPercentSign = 1u << 0,
  kAmpersand = 1u << 1,
  kBackslash = 1u << 2,
  kPlusSign = 1u << 3,
  kStar = 1u << 4,
  kNul = 1u << 5,
  kControl = 1u << 6,   // below 0x20
  kQuote = 1u << 7,     // ' " ` ^ $ { and the backslash
  kSign = 1u << 8,      // ASCII above the space, other than letters, digits and + / = - _
  kHigh = 1u << 9,      // from 0x80
  kHexMark = 1u << 10,  // 0x or x' of either case; below 16 bytes perhaps set without one
};
inline constexpr int kKinds = 11;

std::uint32_t kinds_of(std::string_view text) noexcept;

}  // namespace wafd::detect
