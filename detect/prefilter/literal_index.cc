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
  Literal entry{std::string(literal), 0, id};
  int best = -1;
  for (std::uint32_t i = 0; i + 1 < literal.size(); ++i) {
    const int bits = rarity(literal.substr(i, 2));
    if (bits <= best) continue;
    best = bits;
    entry.offset = i;
  }
  const char first = literal[entry.offset];
  const char second = literal[entry.offset + 1];
  const auto upper = [](char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; };
  for (const char a : {first, upper(first)}) {
    for (const char b : {second, upper(second)}) {
      const std::size_t bit = octet(a) * 256u + octet(b);
      pair_bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }
  groups_[group_of(first, second)].push_back(static_cast<std::uint32_t>(literals_.size()));
  literals_.push_back(std::move(entry));
}

std::size_t LiteralIndex::table_bytes() const noexcept {
  return literals_.size() * sizeof(Literal) + sizeof(pair_bits_) + groups_.size() * sizeof(groups_[0]);
}

}  // namespace wafd::detect
