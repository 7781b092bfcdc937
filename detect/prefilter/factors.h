// What must stand in a text for an expression to match it: of a few short runs of octets at least one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "detect/prefilter/expression.h"

namespace wafd::detect {

inline constexpr std::uint16_t kNoLeaf = 0xffff;

struct FactorPlace {
  OctetSet set;                  // what may stand there
  std::uint16_t leaf = kNoLeaf;  // the leaf of the expression that takes it; none: an assertion looks at it
};

// Consecutive places of a text.
struct Factor {
  std::vector<FactorPlace> places;
  bool ahead = false;   // the first place is what `^` looks back at: an edge or a line end
  bool behind = false;  // the last place is what `$` looks ahead at
};

// At least one stands in every text that matches. Empty: nothing is known, which is always right. Of several
// answers the one that ordinary text is least likely to hold. Time and size are bounded by the expression's.
std::vector<Factor> required_factors(const Expression& expression);

// Of a few octets one stands in every text that matches. None: nothing is known.
struct NeededOctets {
  std::array<unsigned char, 4> octets{};
  std::uint8_t count = 0;
};
// The least likely ones that are not what `factors`, those of the expression, look for anyway.
NeededOctets needed_octets(const Expression& expression, std::span<const Factor> factors);

// How often an octet of ordinary requests is one of the set, roughly; 0..1.
double likelihood(const OctetSet& set) noexcept;

}  // namespace wafd::detect
