// A fixed table of ASCII words, each with a kind, looked up without case by a hash that a reader makes while
// it walks over a text: one octet at a time, no second pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/core/octets.h"

namespace wafd::detect {

// FNV-1a over the lower-case octets.
inline constexpr std::uint32_t kWordHashSeed = 2166136261u;
constexpr std::uint32_t word_hash_step(std::uint32_t hash, char c) noexcept {
  return (hash ^ octet(to_lower(c))) * 16777619u;
}
constexpr std::uint32_t word_hash(std::string_view word) noexcept {
  std::uint32_t hash = kWordHashSeed;
  for (const char c : word) hash = word_hash_step(hash, c);
  return hash;
}

// Kind is an enum of one octet whose value 0 means "not in the table".
template <class Kind>
struct KindOfWord {
  std::string_view word;
  Kind kind;
};

template <class Kind, std::size_t N>
class KindTable {
 public:
  consteval explicit KindTable(const KindOfWord<Kind> (&words)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      words_[i] = words[i];
      std::size_t slot = word_hash(words[i].word) & kMask;
      while (slots_[slot] != 0) slot = (slot + 1) & kMask;
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }

  Kind find(std::string_view word, std::uint32_t hash) const noexcept {
    for (std::size_t slot = hash & kMask; slots_[slot] != 0; slot = (slot + 1) & kMask) {
      const KindOfWord<Kind>& known = words_[slots_[slot] - 1u];
      if (iequals(known.word, word)) return known.kind;
    }
    return Kind{};
  }
  Kind find(std::string_view word) const noexcept { return find(word, word_hash(word)); }

  // As they were written down.
  const std::array<KindOfWord<Kind>, N>& words() const noexcept { return words_; }

 private:
  static constexpr std::size_t kSlots = [] {
    std::size_t size = 16;
    while (size < N * 4) size *= 2;
    return size;
  }();
  static constexpr std::size_t kMask = kSlots - 1;
  std::array<KindOfWord<Kind>, N> words_{};
  std::array<std::uint16_t, kSlots> slots_{};
};

}  // namespace wafd::detect
