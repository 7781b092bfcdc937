// A table of words, each with what a language says of it: made from a TSV file when wafd is built
// (detect/tables), looked up without case.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "detect/core/bytes.h"

namespace wafd {

// Longer words are not in any table.
inline constexpr std::size_t kMaxVocabularyWordBytes = 64;

// `count` bytes at `at`, the first one lowest.
constexpr std::uint64_t bytes_as_number(const char* at, std::size_t count) noexcept {
  std::uint64_t number = 0;
  if (std::is_constant_evaluated() || std::endian::native != std::endian::little) {
    for (std::size_t i = 0; i < count; ++i) number |= std::uint64_t{byte(at[i])} << (8 * i);
  } else {
    std::memcpy(&number, at, count);
  }
  return number;
}

// Of the first and the last eight bytes and the length, letters without case; the table compiler places rows
// by it.
constexpr std::uint32_t vocabulary_hash(std::string_view word) noexcept {
  constexpr std::uint64_t kLowerCase = 0x2020202020202020u;
  const std::size_t size = word.size();
  const auto ends = [&](std::size_t count) {
    const std::uint64_t head = bytes_as_number(word.data(), count) | kLowerCase;
    const std::uint64_t tail = bytes_as_number(word.data() + size - count, count) | kLowerCase;
    return (head ^ std::rotl(tail, 29) ^ (std::uint64_t{size} << 56)) * 0x9e3779b97f4a7c15u;
  };
  const std::uint64_t mixed = size >= 8 ? ends(8) : size >= 4 ? ends(4) : size >= 2 ? ends(2) : ends(size);
  return static_cast<std::uint32_t>(mixed >> 40);
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
