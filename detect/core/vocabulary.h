// A table of words, each with what a language says of it: made from a TSV file when wafd is built
// (detect/tables), looked up without case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "detect/core/octets.h"

namespace wafd {

// Longer words are not in any table.
inline constexpr std::size_t kMaxVocabularyWordBytes = 64;

// FNV-1a over the lower-case bytes; the table compiler places rows by it.
constexpr std::uint32_t vocabulary_hash(std::string_view word) noexcept {
  std::uint32_t hash = 2166136261u;
  for (const char c : word) hash = (hash ^ octet(to_lower(c))) * 16777619u;
  return hash ^ (hash >> 15);
}

// Row is a struct whose first member is `std::string_view text`, in lower case. `slots` has a power of two of
// entries, at least one of them 0 (free), else the number of a row + 1; rows stand at their hash or behind
// it.
template <class Row>
class Vocabulary {
 public:
  constexpr Vocabulary(std::span<const Row> rows, std::span<const std::uint16_t> slots) noexcept
      : rows_(rows), slots_(slots) {}

  // Null if the word is not in the table.
  constexpr const Row* find(std::string_view word) const noexcept {
    if (word.empty() || word.size() > kMaxVocabularyWordBytes) return nullptr;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = vocabulary_hash(word) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
      const Row& row = rows_[slots_[slot] - 1u];
      if (iequals(row.text, word)) return &row;
    }
    return nullptr;
  }
  bool has(std::string_view word) const noexcept { return find(word) != nullptr; }

  // As the file has them.
  constexpr std::span<const Row> rows() const noexcept { return rows_; }

 private:
  std::span<const Row> rows_;
  std::span<const std::uint16_t> slots_;
};

// A table of nothing but words.
struct Word {
  std::string_view text;
};

}  // namespace wafd
