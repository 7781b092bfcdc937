// A set of octets, for expressions and what is made of them.
#pragma once

#include <array>
#include <cstdint>

namespace wafd::detect {

// `edge` stands for the place before the first or behind the last octet of a text.
struct OctetSet {
  std::array<std::uint64_t, 4> words{};
  bool edge = false;

  constexpr void add(unsigned char c) noexcept { words[c >> 6] |= std::uint64_t{1} << (c & 63); }
  constexpr bool has(unsigned char c) const noexcept { return (words[c >> 6] >> (c & 63) & 1) != 0; }
  bool operator==(const OctetSet&) const = default;
};

}  // namespace wafd::detect
