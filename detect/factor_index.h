// Finds which of many short runs of octets may stand in a text, in one walk over its octets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/octet_groups.h"

namespace wafd::detect {

// Buffers of one worker.
struct FactorScratch {
  std::vector<unsigned char> folded;
  std::vector<std::uint32_t> seen;  // by target: the walk that found it last
  std::uint32_t walk = 0;
};

// What stands in a text around a place, for the index: some places in a row of which one must be inside.
struct Run {
  std::vector<OctetSet> places;
  std::size_t begin = 0;  // places before `begin` and from `end` on may be outside of the text
  std::size_t end = 0;
};

// What of a run is looked for: four places in a row, as a hash of their octets (letters without case,
// everything that is not of a word alike), or two places as they are.
struct RunPiece {
  std::size_t offset = 0;  // of its first place in the run
  bool four = false;
  double likely = 1;  // to stand at a place of an ordinary text
};
// The least likely one.
RunPiece best_piece(const Run& run);
// Pieces that are more likely are of no use: every text would be suspected.
inline constexpr double kMaxLikely = 0.9;

// Where a whole word counts.
enum class WordPlace : std::uint8_t {
  kAnywhere,
  kCommand,      // where a command can stand: at the beginning of a text or a line, behind a sign or an
                 // assignment; behind another word, a full stop or a colon none can
  kCommandAmid,  // there, but not as all of the text
};

// Runs and whole words, each for a target (a number from 0). Built once, then immutable. Words are
// runs of a-z, 0-9 and _ without case, perhaps with digits behind them.
class FactorIndex {
 public:
  // A run of which match() of the target's LocalMatcher decides whether it leads anywhere.
  struct Candidate {
    std::uint32_t target = 0;
    std::uint32_t leaf = 0;  // for match(), and
    std::size_t place = 0;   // the place of the run that it takes
  };
  void add(const Run& run, const RunPiece& piece, const Candidate& candidate);
  // False if `word` is empty or has octets other than a-z, 0-9 and _.
  bool add_word(std::string_view word, std::uint32_t target, WordPlace place = WordPlace::kAnywhere);
  void build();

  // Calls found(target) once for each target of which `wanted(target)` holds and that stands in `text`: a
  // word as such, a run where matches(target, leaf, position in text) holds.
  template <class Wanted, class Matches, class Found>
  void walk(std::string_view text, FactorScratch& scratch, Wanted&& wanted, Matches&& matches,
            Found&& found) const;

 private:
  struct Entry {
    Window around;  // from kWindowBefore places before the piece on
    std::uint32_t target = 0;
    std::uint32_t index = 0;  // in words_, or the leaf
    std::int16_t offset = 0;  // of the place that is asked about from the piece; of the piece in a word
    bool word = false;
  };
  static constexpr std::ptrdiff_t kWindowBefore = 2;
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
  bool word_stands(const Entry& entry, std::string_view text, std::ptrdiff_t at) const noexcept;
  void add_piece(const Run& run, const RunPiece& piece, Entry entry);
  void add_four(const Run& run, std::size_t offset, const Entry& entry);
  void add_two(const Run& run, std::size_t offset, const Entry& entry);
  const Slot* slot_of(std::uint32_t key) const noexcept;

  struct StoredWord {
    std::string text;
    WordPlace place = WordPlace::kAnywhere;
  };
  std::vector<StoredWord> words_;
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

template <class Wanted, class Matches, class Found>
void FactorIndex::walk(std::string_view text, FactorScratch& scratch, Wanted&& wanted, Matches&& matches,
                       Found&& found) const {
  if (text.empty()) return;
  if (scratch.seen.size() < targets_) scratch.seen.resize(targets_, scratch.walk);
  if (++scratch.walk == 0) {
    scratch.seen.assign(scratch.seen.size(), 0);
    scratch.walk = 1;
  }
  const auto size = static_cast<std::ptrdiff_t>(text.size());
  const auto ask = [&](const Slot& slot, std::ptrdiff_t at) {
    Window window;
    window.read(text, at - kWindowBefore);
    for (std::uint32_t i = slot.begin; i < slot.end; ++i) {
      const Entry& entry = entries_[i];
      if (!fits(window, entry.around)) continue;
      if (scratch.seen[entry.target] == scratch.walk || !wanted(entry.target)) continue;
      if (entry.word) {
        if (!word_stands(entry, text, at - entry.offset)) continue;
      } else {
        const std::ptrdiff_t place = at + entry.offset;
        if (place < 0 || place >= size) continue;
        if (!matches(entry.target, entry.index, static_cast<std::size_t>(place))) continue;
      }
      scratch.seen[entry.target] = scratch.walk;
      found(entry.target);
    }
  };
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
