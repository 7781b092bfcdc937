// Hints that are whole words: one walk over the octets, one table look-up a word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"

namespace wafd::detect {

// Words are runs of a-z, 0-9 and _ without case; a run with digits at its end is also looked up without them.
// Built once, then immutable.
class WordGate {
 public:
  // An error if `word` is empty or has other octets.
  Result<void> add(std::string_view word, std::uint64_t analyzers);
  void build();
  bool empty() const noexcept { return words_.empty(); }

  // Calls found(end, analyzers) for every word of the table in `text`, in order; `end` is the offset behind
  // it.
  template <class Found>
  void scan(std::string_view text, Found&& found) const;

 private:
  struct Word {
    std::string text;
    std::uint32_t hash = 0;
    std::uint64_t analyzers = 0;
  };
  static constexpr std::uint32_t step(std::uint32_t hash, unsigned char c) noexcept {
    return ((hash << 5) | (hash >> 27)) ^ c;
  }
  static constexpr std::uint32_t slot_of(std::uint32_t hash, std::size_t size) noexcept {
    return ((hash ^ static_cast<std::uint32_t>(size)) * 0x9e3779b1u) >> 16;
  }
  std::uint64_t look_up(std::string_view word, std::uint32_t hash) const noexcept;

  std::vector<Word> words_;
  std::vector<std::uint16_t> table_;  // index in words_ + 1; open addressing
  std::uint32_t mask_ = 0;
  static const unsigned char kLower[256];  // 0: not part of a word
};

template <class Found>
void WordGate::scan(std::string_view text, Found&& found) const {
  const std::size_t size = text.size();
  std::size_t at = 0;
  while (at < size) {
    unsigned char c = kLower[static_cast<unsigned char>(text[at])];
    if (c == 0) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    std::uint32_t hash = 0;
    std::uint32_t bare_hash = 0;  // up to the last octet that is no digit
    std::size_t bare_end = begin;
    do {
      hash = step(hash, c);
      ++at;
      if (c < '0' || c > '9') {
        bare_hash = hash;
        bare_end = at;
      }
    } while (at < size && (c = kLower[static_cast<unsigned char>(text[at])]) != 0);
    if (const std::uint64_t bits = look_up(text.substr(begin, at - begin), hash); bits != 0) found(at, bits);
    if (bare_end != at && bare_end != begin) {
      if (const std::uint64_t bits = look_up(text.substr(begin, bare_end - begin), bare_hash); bits != 0)
        found(at, bits);
    }
  }
}

}  // namespace wafd::detect
