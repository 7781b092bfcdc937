// Octets in 32 groups, so that a set of them is a word: for a quick look at the places around a find.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "detect/octet_set.h"

namespace wafd::detect {

// By octet: one bit, that of its group. Group 0 is the line end and the edge of a text.
extern const std::array<std::uint32_t, 256> kGroupBit;
inline constexpr std::uint32_t kEdgeGroup = 1;

// The groups that hold any of the set.
std::uint32_t groups_of(const OctetSet& set) noexcept;

// Eight places of a text in a row, each as its group's bit or as the groups that may stand there.
inline constexpr std::size_t kWindowPlaces = 8;
struct alignas(16) Window {
  std::array<std::uint32_t, kWindowPlaces> groups{};

  // Of text[at] and what follows; `at` may be negative, what lies outside is an edge.
  void read(std::string_view text, std::ptrdiff_t at) noexcept {
    const auto size = static_cast<std::ptrdiff_t>(text.size());
    if (at >= 0 && at + static_cast<std::ptrdiff_t>(kWindowPlaces) <= size) {
      const char* from = text.data() + at;
      for (std::size_t i = 0; i < kWindowPlaces; ++i)
        groups[i] = kGroupBit[static_cast<unsigned char>(from[i])];
      return;
    }
    for (std::size_t i = 0; i < kWindowPlaces; ++i, ++at) {
      const bool inside = at >= 0 && at < size;
      groups[i] =
          inside ? kGroupBit[static_cast<unsigned char>(text[static_cast<std::size_t>(at)])] : kEdgeGroup;
    }
  }
};

// Whether every place of a text's window is in one of the groups that `allowed` has there.
inline bool fits(const Window& text, const Window& allowed) noexcept {
  std::uint32_t missing = 0;  // one comparison at the end: none of the eight is likely to decide
  for (std::size_t i = 0; i < kWindowPlaces; ++i)
    missing |= (text.groups[i] & allowed.groups[i]) == 0 ? 1u : 0u;
  return missing == 0;
}

}  // namespace wafd::detect
