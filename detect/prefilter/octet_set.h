// A set of octets, for expressions and what is made of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace wafd::detect {

// `edge` stands for the place before the first or behind the last octet of a text.
struct OctetSet {
  std::array<std::uint64_t, 4> words{};
  bool edge = false;

  constexpr void add(unsigned char c) noexcept { words[c >> 6] |= std::uint64_t{1} << (c & 63); }
  constexpr bool has(unsigned char c) const noexcept { return (words[c >> 6] >> (c & 63) & 1) != 0; }
  bool operator==(const OctetSet&) const = default;

  // All octets, and the edge.
  static constexpr OctetSet everything() noexcept {
    OctetSet set;
    for (std::uint64_t& word : set.words) word = ~std::uint64_t{0};
    set.edge = true;
    return set;
  }
  // Calls take(octet) for each octet in order.
  template <class Take>
  constexpr void each(Take&& take) const {
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (std::uint64_t bits = words[i]; bits != 0; bits &= bits - 1)
        take(static_cast<unsigned char>(i * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }
};

}  // namespace wafd::detect
