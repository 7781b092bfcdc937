// What must stand in a text for an expression to match it: of a few short runs of octets at least one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace wafd::detect {

// A set of octets; `edge` stands for the place before the first or behind the last octet of a text.
struct OctetSet {
  std::array<std::uint64_t, 4> words{};
  bool edge = false;

  constexpr void add(unsigned char c) noexcept { words[c >> 6] |= std::uint64_t{1} << (c & 63); }
  constexpr bool has(unsigned char c) const noexcept { return (words[c >> 6] >> (c & 63) & 1) != 0; }
  bool operator==(const OctetSet&) const = default;
};

// Consecutive places of a text, each with the octets that may stand there.
struct Factor {
  std::vector<OctetSet> octets;
  bool ahead = false;   // the first place is what `^` looks back at: an edge or a line end
  bool behind = false;  // the last place is what `$` looks ahead at

  // Whether it stands in `text` with its first place at `at`, which may lie outside.
  bool stands_at(std::string_view text, std::ptrdiff_t at) const noexcept {
    for (const OctetSet& set : octets) {
      const bool inside = at >= 0 && at < static_cast<std::ptrdiff_t>(text.size());
      if (inside ? !set.has(static_cast<unsigned char>(text[static_cast<std::size_t>(at)])) : !set.edge)
        return false;
      ++at;
    }
    return true;
  }
};

struct Factors {
  std::vector<Factor> any;  // at least one stands in every text that matches; empty: nothing is known
  bool exact = false;       // and every text in which one stands matches
};

// Of an expression as Vectorscan takes it (PCRE syntax; here without case, dot matches all, `^` and `$` at
// line ends too). What is not understood gives an empty answer, which is always right. Of several answers the
// one that ordinary text is least likely to hold. Time and size are bounded by the expression's length.
Factors required_factors(std::string_view expression);

// How often an octet of ordinary requests is one of the set, roughly; 0..1.
double likelihood(const OctetSet& set) noexcept;

}  // namespace wafd::detect
