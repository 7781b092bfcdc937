// Which kinds of octets a text holds, so that a decoder that needs one which is not there is not even asked.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect {

enum Kind : std::uint32_t {
  kPercentSign = 1u << 0,
  kAmpersand = 1u << 1,
  kBackslash = 1u << 2,
  kPlusSign = 1u << 3,
  kStar = 1u << 4,
  kNul = 1u << 5,
  kControl = 1u << 6,  // below 0x20
  kQuote = 1u << 7,    // ' " ` ^ $ { and the backslash
  kSign = 1u << 8,     // ASCII other than letters, digits and + / = - _
  kHigh = 1u << 9,     // from 0x80
};

std::uint32_t kinds_of(std::string_view text) noexcept;

}  // namespace wafd::detect
