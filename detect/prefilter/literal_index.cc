#include "detect/prefilter/literal_index.h"

#include <algorithm>
#include <array>

namespace wafd::detect {
namespace {

// Bits that one byte of an ordinary request tells: of letters as English and names in URLs have them.
constexpr int bits_of(char c) noexcept {
  if (is_alpha(c)) {
    constexpr std::array<signed char, 26> kLetters{4, 6, 5, 5, 3, 6, 6, 5, 4, 8, 7, 5, 5,
                                                   4, 4, 5, 9, 4, 4, 4, 5, 7, 6, 7, 6, 8};
    return kLetters[static_cast<std::size_t>(to_lower(c) - 'a')];
  }
  if (is_digit(c)) return 5;
  if (std::string_view("/.-_ \",:=%&").find(c) != std::string_view::npos) return 5;
  return 9;
}

}  // namespace

int rarity(std::string_view literal) noexcept {
  int bits = 0;
  for (const char c : literal) bits += bits_of(c);
  return bits;
}

void LiteralIndex::add(std::string_view literal, std::uint32_t id) {
  Literal entry;
  entry.id = id;
  entry.text = literal;
  for (std::size_t i = 0; i < std::min(literal.size(), sizeof(entry.head)); ++i)
    entry.head |= std::uint64_t{lower(literal[i])} << (8 * i);
  const std::size_t size = std::min<std::size_t>(literal.size(), 3);
  int best = -1;
  for (std::size_t i = 0; i + size <= literal.size(); ++i) {
    const int bits = rarity(literal.substr(i, size));
    if (bits <= best) continue;
    best = bits;
    entry.offset = static_cast<std::uint32_t>(i);
  }
  const char* at = literal.data() + entry.offset;
  entry.key = size == 3 ? key_of(lower(at[0]), lower(at[1]), lower(at[2])) : lower(at[0]) | lower(at[1]) << 8;
  Bits& bits = size == 3 ? triple_bits_ : pair_bits_;
  bits[entry.key % 65536 / 64] |= std::uint64_t{1} << (entry.key % 64);
  literals_.push_back(std::move(entry));
}

void LiteralIndex::finish() {
  std::stable_sort(literals_.begin(), literals_.end(),
                   [](const Literal& a, const Literal& b) { return a.key % kGroups < b.key % kGroups; });
  groups_.assign(kGroups + 1, static_cast<std::uint32_t>(literals_.size()));
  for (std::size_t i = literals_.size(); i-- > 0;)
    groups_[literals_[i].key % kGroups] = static_cast<std::uint32_t>(i);
  for (std::size_t group = kGroups; group-- > 0;)
    groups_[group] = std::min(groups_[group], groups_[group + 1]);
}

std::size_t LiteralIndex::table_bytes() const noexcept {
  return literals_.size() * sizeof(Literal) + 2 * sizeof(Bits) + groups_.size() * sizeof(groups_[0]);
}

}  // namespace wafd::detect
