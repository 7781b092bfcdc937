#include "detect/prefilter/literal_index.h"

#include <algorithm>

namespace wafd::detect {
namespace {

// Bits that one byte of an ordinary request tells.
constexpr int bits_of(char c) noexcept {
  if (is_alpha(c))
    return std::string_view("etaoinsrhdlc").find(to_lower(c)) != std::string_view::npos ? 2 : 3;
  if (is_digit(c)) return 3;
  if (std::string_view("/.-_ \",:=%&").find(c) != std::string_view::npos) return 4;
  return 8;
}

}  // namespace

int rarity(std::string_view literal) noexcept {
  int bits = 0;
  for (const char c : literal) bits += bits_of(c);
  return bits;
}

void LiteralIndex::add(std::string_view literal, std::uint32_t id) {
  Literal entry{std::string(literal), 0, 0, id};
  const std::size_t size = std::min<std::size_t>(literal.size(), 3);
  int best = -1;
  for (std::uint32_t i = 0; i + size <= literal.size(); ++i) {
    const int bits = rarity(literal.substr(i, size));
    if (bits <= best) continue;
    best = bits;
    entry.offset = i;
  }
  const char* at = entry.text.data() + entry.offset;
  entry.key = key_of(lower(at[0]), lower(at[1]), size == 3 ? lower(at[2]) : 0);
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
  return literals_.size() * sizeof(Literal) + sizeof(pair_bits_) + sizeof(triple_bits_) +
         groups_.size() * sizeof(groups_[0]);
}

}  // namespace wafd::detect
