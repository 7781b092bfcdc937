// Fixed sets of lower-case ASCII words, made when compiled, looked up without case by one hash.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::detect {

// Words with a value each; a word given twice keeps its first value. Words are lower case and at most
// kMaxWordBytes long.
template <class Value, std::size_t N>
class FixedWordMap {
 public:
  static constexpr std::size_t kMaxWordBytes = 64;
  struct Entry {
    std::string_view word;
    Value value{};
  };

  consteval explicit FixedWordMap(const std::array<Entry, N>& entries) {
    for (const Entry& entry : entries) {
      if (entry.word.empty() || entry.word.size() > kMaxWordBytes)
        throw "word of a length that is not looked up";
      std::size_t slot = slot_of(entry.word);
      while (slots_[slot] != 0 && entries_[slots_[slot] - 1u].word != entry.word) slot = (slot + 1) & kMask;
      if (slots_[slot] != 0) continue;
      entries_[size_] = entry;
      lengths_[group_of(entry.word)] |= std::uint64_t{1} << (entry.word.size() - 1);
      slots_[slot] = static_cast<std::uint16_t>(++size_);
      longest_ = entry.word.size() > longest_ ? entry.word.size() : longest_;
    }
  }

  const Value* find(std::string_view word) const noexcept {
    if (word.empty() || word.size() > longest_) return nullptr;
    if ((lengths_[group_of(word)] >> (word.size() - 1) & 1u) == 0) return nullptr;
    for (std::size_t slot = slot_of(word); slots_[slot] != 0; slot = (slot + 1) & kMask) {
      const Entry& entry = entries_[slots_[slot] - 1u];
      if (iequals(entry.word, word)) return &entry.value;
    }
    return nullptr;
  }

  std::size_t size() const noexcept { return size_; }
  const Entry* begin() const noexcept { return entries_.data(); }
  const Entry* end() const noexcept { return entries_.data() + size_; }

 private:
  static constexpr std::size_t kSlots = std::bit_ceil(N * 2 + 1);
  static constexpr std::size_t kMask = kSlots - 1;
  static_assert(N < 0xffff);

  static constexpr std::size_t slot_of(std::string_view word) noexcept {
    std::uint32_t hash = static_cast<std::uint32_t>(word.size());
    for (const char c : word) hash = (hash ^ byte(to_lower(c))) * 0x01000193u;
    return (hash ^ (hash >> 15)) & kMask;
  }

  // Two bytes of a word and its length tell most words from all of these. Letters without case.
  static constexpr std::size_t kGroups = std::clamp<std::size_t>(std::bit_ceil(N), 16, 256);
  static constexpr std::size_t group_of(std::string_view word) noexcept {
    return ((byte(word.front()) & 31u) * 9u + (byte(word[word.size() / 2]) & 31u)) & (kGroups - 1);
  }

  std::array<Entry, N> entries_{};
  std::array<std::uint64_t, kGroups> lengths_{};  // bit n - 1: a word of n bytes
  std::array<std::uint16_t, kSlots> slots_{};     // index in entries_ + 1; open addressing
  std::size_t size_ = 0;
  std::size_t longest_ = 0;
};

template <std::size_t N>
class WordSet {
 public:
  consteval explicit WordSet(const std::string_view (&words)[N]) : table_(entries(words)) {}

  bool has(std::string_view word) const noexcept { return table_.find(word) != nullptr; }
  const auto& words() const noexcept { return table_; }  // .word of each

 private:
  struct Nothing {};
  using Table = FixedWordMap<Nothing, N>;

  static consteval std::array<typename Table::Entry, N> entries(const std::string_view (&words)[N]) {
    std::array<typename Table::Entry, N> out{};
    for (std::size_t i = 0; i < N; ++i) out[i].word = words[i];
    return out;
  }

  Table table_;
};

}  // namespace wafd::detect
