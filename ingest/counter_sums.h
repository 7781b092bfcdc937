// Counters of several workers added up. A struct of counters holds unsigned 64-bit numbers alone, so that a
// new one is summed without being named here.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace wafd::ingest {

template <class Counters>
void add_counters(Counters& sum, const Counters& more) noexcept {
  static_assert(std::has_unique_object_representations_v<Counters> &&
                sizeof(Counters) % sizeof(std::uint64_t) == 0);
  using Numbers = std::array<std::uint64_t, sizeof(Counters) / sizeof(std::uint64_t)>;
  auto numbers = std::bit_cast<Numbers>(sum);
  const auto others = std::bit_cast<Numbers>(more);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += others[i];
  sum = std::bit_cast<Counters>(numbers);
}

}  // namespace wafd::ingest
