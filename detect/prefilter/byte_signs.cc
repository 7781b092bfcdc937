#include "detect/prefilter/byte_signs.h"

#include <algorithm>
#include <cstring>

namespace wafd::detect {
namespace {

// A set, handled as one number where the processor can.
using Lanes [[gnu::vector_size(16)]] = std::uint64_t;

Lanes lanes_of(const ByteSigns::Set& set) noexcept {
  Lanes lanes;
  std::memcpy(&lanes, set.data(), sizeof(lanes));
  return lanes;
}

ByteSigns::Set set_of(Lanes lanes) noexcept {
  ByteSigns::Set set;
  std::memcpy(set.data(), &lanes, sizeof(lanes));
  return set;
}

void set_bit(ByteSigns::Set& set, std::size_t bit) noexcept {
  set[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

}  // namespace

std::size_t ByteSigns::add_single(std::string_view bytes, bool first) {
  const Single sign{std::string(bytes), first};
  const auto there = std::find(singles_.begin(), singles_.end(), sign);
  const auto number = static_cast<std::size_t>(there - singles_.begin());
  if (there != singles_.end()) return number;
  if (number == kMax) return kFull;
  singles_.push_back(sign);
  for (const char c : bytes) set_bit(first ? at_begin_[byte(c)] : rows_[byte(c)].anywhere, number);
  return number;
}

std::size_t ByteSigns::add_pair(std::string_view first, std::string_view second, std::string_view between) {
  const Pair sign{std::string(first), std::string(second), std::string(between)};
  const auto there = std::find(pairs_.begin(), pairs_.end(), sign);
  const auto number = static_cast<std::size_t>(there - pairs_.begin());
  if (there != pairs_.end()) return number;
  if (number == kMax) return kFull;
  pairs_.push_back(sign);
  for (const char c : first) set_bit(rows_[byte(c)].first, number);
  for (const char c : second) set_bit(rows_[byte(c)].second, number);
  for (const char c : between) set_bit(rows_[byte(c)].keeps, number);
  return number;
}

ByteSigns::Found ByteSigns::read(std::string_view text) const noexcept {
  Lanes seen{};
  Lanes pairs{};
  Lanes begun{};  // pairs that the next byte may end
  for (const char c : text) {
    const Row& row = rows_[byte(c)];
    seen |= lanes_of(row.anywhere);
    pairs |= begun & lanes_of(row.second);
    begun = (begun & lanes_of(row.keeps)) | lanes_of(row.first);
  }
  std::size_t at = skip_space(text, 0);
  if (at < text.size()) {
    seen |= lanes_of(at_begin_[byte(text[at])]);
    while (at + 1 < text.size() && (is_space(text[at]) || text[at] == '\'' || text[at] == '"')) ++at;
    seen |= lanes_of(at_begin_[byte(text[at])]);
  }
  return {set_of(seen), set_of(pairs)};
}

}  // namespace wafd::detect
