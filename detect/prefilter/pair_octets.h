// Pairs of octets that are looked for in texts: at which places one may stand, by sets of octets that many
// places are compared with at once, and which one does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detect/prefilter/octet_set.h"

namespace wafd::detect {

// Octets of words: letters, digits and '_'.
OctetSet word_octets_of(const OctetSet& set) noexcept;

// A place may hold a pair where its octet is in `first`, where the next one is in `second`, or where both are
// in the sets of words. So a punctuation mark is looked at wherever it stands; two octets of a word are not,
// but where both are among a few.
struct PairOctets {
  OctetSet first;
  OctetSet second;
  OctetSet word_first;
  OctetSet word_second;

  // Of all pairs; of `first` and `second` no more than is needed, and what ordinary text holds least.
  // `slots`: by number of the pair.
  static PairOctets of(std::span<const std::uint16_t> slots);
};

// A number for each pair.
class PairSlots {
 public:
  static constexpr std::uint16_t kNone = 0;
  static constexpr std::size_t kPairs = 0x10000;
  static constexpr std::size_t number(unsigned char first, unsigned char second) noexcept {
    return first + std::size_t{256} * second;
  }

  PairSlots() = default;
  // `slots`: by number().
  explicit PairSlots(std::span<const std::uint16_t> slots);

  std::uint16_t at(const unsigned char* octets) const noexcept {
    return slots_[static_cast<std::size_t>(rows_[octets[0]]) + columns_[octets[1]]];
  }

 private:
  // Octets that are alike in all pairs share a row or a column.
  std::array<std::uint16_t, 256> rows_{};
  std::array<std::uint16_t, 256> columns_{};
  std::vector<std::uint16_t> slots_{kNone};
};

}  // namespace wafd::detect
