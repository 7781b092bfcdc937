#include "detect/prefilter/literal_index.h"

#include <algorithm>
#include <array>
#include <utility>

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

// Bytes that stand in most URLs tell less than others.
bool is_usual(std::string_view three) noexcept {
  static constexpr std::string_view kUsual[] = {"htt", "ttp", "tps", "ps:", "://", "www", "com", ".co",
                                                "web", ".js", "cgi", "/cg", "%2f", "%3a", "%20", "con",
                                                "ser", "ver", "vic", "ack", "ent", "ion"};
  return std::find(std::begin(kUsual), std::end(kUsual), three) != std::end(kUsual);
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
  entry.begin = static_cast<std::uint32_t>(texts_.size());
  entry.size = static_cast<std::uint32_t>(literal.size());
  texts_ += literal;
  for (std::size_t i = 0; i < std::min(literal.size(), sizeof(entry.head)); ++i)
    entry.head |= std::uint64_t{lower(literal[i])} << (8 * i);
  constexpr std::size_t kKeyBytes = 3;
  int best = -1;
  for (std::size_t i = 0; i + kKeyBytes <= literal.size(); ++i) {
    const std::string_view three = literal.substr(i, kKeyBytes);
    const int bits = is_usual(three) ? 0 : rarity(three);
    if (bits <= best) continue;
    best = bits;
    entry.offset = static_cast<std::uint32_t>(i);
  }
  std::array<char, kKeyBytes + 1> bytes{};
  literal.copy(bytes.data(), kKeyBytes, entry.offset);
  entry.key = key_at(bytes.data());
  const std::uint32_t bit = entry.key >> kKeyShift;
  keys_[bit / 32] |= 1u << (bit % 32);
  literals_.push_back(entry);
}

void LiteralIndex::finish() {
  // Of one group in the order in which they were added, by `begin`: std::stable_sort of g++ 12 takes memory
  // that Literal is not aligned in.
  std::sort(literals_.begin(), literals_.end(), [](const Literal& a, const Literal& b) {
    return std::pair(group_of(a.key), a.begin) < std::pair(group_of(b.key), b.begin);
  });
  groups_.assign(kGroups + 1, static_cast<std::uint32_t>(literals_.size()));
  for (std::size_t i = literals_.size(); i-- > 0;)
    groups_[group_of(literals_[i].key)] = static_cast<std::uint32_t>(i);
  for (std::size_t group = kGroups; group-- > 0;)
    groups_[group] = std::min(groups_[group], groups_[group + 1]);
}

std::size_t LiteralIndex::table_bytes() const noexcept {
  return literals_.size() * sizeof(Literal) + texts_.size() + sizeof(keys_) +
         groups_.size() * sizeof(groups_[0]);
}

}  // namespace wafd::detect
