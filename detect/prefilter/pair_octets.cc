#include "detect/prefilter/pair_octets.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "detect/core/octets.h"
#include "detect/prefilter/factors.h"

namespace wafd::detect {
namespace {

bool has(const OctetSet& set, unsigned octet) noexcept { return set.has(static_cast<unsigned char>(octet)); }
void add(OctetSet& set, unsigned octet) noexcept { set.add(static_cast<unsigned char>(octet)); }
void remove(OctetSet& set, unsigned octet) noexcept {
  set.words[octet >> 6] &= ~(std::uint64_t{1} << (octet & 63));
}
bool is_word_octet(unsigned octet) noexcept {
  const auto c = static_cast<char>(octet);
  return is_alnum(c) || c == '_';
}

std::array<double, 256> commonness() noexcept {
  std::array<double, 256> out{};
  for (unsigned c = 0; c < out.size(); ++c) {
    OctetSet one;
    add(one, c);
    out[c] = likelihood(one);
  }
  return out;
}

}  // namespace

OctetSet word_octets_of(const OctetSet& set) noexcept {
  OctetSet out;
  set.each([&](unsigned char octet) {
    if (is_word_octet(octet)) out.add(octet);
  });
  return out;
}

PairOctets PairOctets::of(std::span<const std::uint16_t> slots) {
  PairOctets out;
  const std::array<double, 256> common = commonness();
  const auto is_of_words = [](unsigned a, unsigned b) { return is_word_octet(a) && is_word_octet(b); };
  const auto stands = [&](unsigned a, unsigned b) {
    return !is_of_words(a, b) &&
           slots[PairSlots::number(static_cast<unsigned char>(a), static_cast<unsigned char>(b))] !=
               PairSlots::kNone;
  };
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < 256; ++b) {
      if (stands(a, b)) common[a] <= common[b] ? add(out.first, a) : add(out.second, b);
      if (is_of_words(a, b) && slots[a + 256 * b] != PairSlots::kNone) {
        add(out.word_first, a);
        add(out.word_second, b);
      }
    }
  }
  // What the other set has made needless goes out, the commonest first.
  std::array<unsigned, 256> order{};
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return common[a] > common[b]; });
  for (const unsigned c : order) {
    bool needed = false;
    for (unsigned b = 0; b < 256; ++b) needed = needed || (stands(c, b) && !has(out.second, b));
    if (!needed) remove(out.first, c);
    needed = false;
    for (unsigned a = 0; a < 256; ++a) needed = needed || (stands(a, c) && !has(out.first, a));
    if (!needed) remove(out.second, c);
  }
  return out;
}

PairSlots::PairSlots(std::span<const std::uint16_t> slots) {
  std::map<std::vector<std::uint16_t>, std::uint16_t> known;
  std::vector<unsigned> columns;  // of each a second octet that has it
  for (unsigned second = 0; second < 256; ++second) {
    const auto begin = slots.begin() + 256 * second;
    const auto [it, made] =
        known.try_emplace({begin, begin + 256}, static_cast<std::uint16_t>(columns.size()));
    columns_[second] = it->second;
    if (made) columns.push_back(second);
  }
  known.clear();
  slots_.clear();
  for (unsigned first = 0; first < 256; ++first) {
    std::vector<std::uint16_t> row;
    for (const unsigned second : columns) row.push_back(slots[first + 256 * second]);
    const auto [it, made] = known.try_emplace(std::move(row), static_cast<std::uint16_t>(slots_.size()));
    rows_[first] = it->second;
    if (made) slots_.insert(slots_.end(), it->first.begin(), it->first.end());
  }
}

}  // namespace wafd::detect
