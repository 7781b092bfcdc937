// Finds which of many factors stand in a text, in one walk over its octets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/factors.h"

namespace wafd::detect {

// Buffers of one worker.
struct FactorScratch {
  std::vector<unsigned char> folded;
  std::vector<std::uint32_t> seen;  // by target: the walk that found it last
  std::uint32_t walk = 0;
};

// Factors and whole words, each for a target (a number from 0). Built once, then immutable.
//
// A factor is looked for by its least likely piece: four places in a row, as a hash of their octets (letters
// without case, everything that is not of a word alike), or two places as they are. Whole words too: runs of
// a-z, 0-9 and _ without case, perhaps with digits behind them.
class FactorIndex {
 public:
  // False if the factor is of no use: every text would be suspected.
  bool add(const Factor& factor, std::uint32_t target);
  // False if `word` is empty or has octets other than a-z, 0-9 and _.
  bool add_word(std::string_view word, std::uint32_t target);
  void build();

  // Calls found(target) once for each target of which `wanted(target)` holds and that stands in `text`.
  template <class Wanted, class Found>
  void walk(std::string_view text, FactorScratch& scratch, Wanted&& wanted, Found&& found) const;

 private:
  struct Entry {
    std::uint32_t factor = 0;
    std::int32_t offset = 0;  // of the piece in the factor
    std::uint32_t target = 0;
  };
  struct Keyed {
    std::uint32_t key = 0;
    Entry entry;
  };
  struct Slot {
    std::uint32_t key = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;  // 0: free
  };
  static constexpr std::size_t kEdge = 4;  // folded octets of no word around a text
  static constexpr unsigned kHashBits = 17;
  static constexpr std::uint32_t hash(std::uint32_t key) noexcept {
    return (key * 0x9e3779b1u) >> (32 - kHashBits);
  }
  static void fold(std::string_view text, std::vector<unsigned char>& out);
  bool stands(const Entry& entry, std::string_view text, std::ptrdiff_t at) const noexcept;
  void add_four(const Factor& factor, std::size_t offset, const Entry& entry);
  void add_two(const Factor& factor, std::size_t offset, const Entry& entry);
  const Slot* slot_of(std::uint32_t key) const noexcept;

  std::vector<Factor> factors_;
  std::vector<bool> is_word_;  // by factor: digits may follow, then no octet of a word
  std::uint32_t targets_ = 0;
  std::vector<Keyed> fours_;
  std::vector<Keyed> twos_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;               // of four places, open addressing
  std::vector<std::uint64_t> four_bits_;  // which hashes there are
  std::vector<std::uint64_t> two_bits_;   // which pairs of octets there are
  std::vector<Slot> pairs_;               // by pair, where there are any
  std::vector<std::uint16_t> pair_slots_;
};

template <class Wanted, class Found>
void FactorIndex::walk(std::string_view text, FactorScratch& scratch, Wanted&& wanted, Found&& found) const {
  if (text.empty()) return;
  if (scratch.seen.size() < targets_) scratch.seen.resize(targets_, scratch.walk);
  if (++scratch.walk == 0) {
    scratch.seen.assign(scratch.seen.size(), 0);
    scratch.walk = 1;
  }
  const auto ask = [&](const Slot& slot, std::ptrdiff_t at) {
    for (std::uint32_t i = slot.begin; i < slot.end; ++i) {
      const Entry& entry = entries_[i];
      if (scratch.seen[entry.target] == scratch.walk || !wanted(entry.target)) continue;
      if (!stands(entry, text, at - entry.offset)) continue;
      scratch.seen[entry.target] = scratch.walk;
      found(entry.target);
    }
  };
  const auto size = static_cast<std::ptrdiff_t>(text.size());
  if (!fours_.empty()) {
    fold(text, scratch.folded);
    const unsigned char* folded = scratch.folded.data();
    for (std::ptrdiff_t i = 0; i < size + 3; ++i) {
      std::uint32_t key = 0;
      __builtin_memcpy(&key, folded + i + 1, sizeof key);
      const std::uint32_t bit = hash(key);
      if ((four_bits_[bit >> 6] >> (bit & 63) & 1) == 0) continue;
      if (const Slot* slot = slot_of(key)) ask(*slot, i - 3);
    }
  }
  if (!twos_.empty()) {
    const auto* octets = reinterpret_cast<const unsigned char*>(text.data());
    std::uint32_t pair = '\n';  // an edge is like a line end
    for (std::ptrdiff_t i = 0; i <= size; ++i) {
      pair = (pair << 8 | (i < size ? octets[i] : std::uint32_t{'\n'})) & 0xffff;
      if ((two_bits_[pair >> 6] >> (pair & 63) & 1) != 0) ask(pairs_[pair_slots_[pair]], i - 1);
    }
  }
}

}  // namespace wafd::detect
