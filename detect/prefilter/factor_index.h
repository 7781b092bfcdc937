// Finds which of many short runs of octets may stand in a text, in one walk over its octets.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/prefilter/octet_groups.h"
#include "detect/prefilter/pair_octets.h"
#include "detect/prefilter/text_layout.h"

namespace wafd::detect {

// An entry of an index that may stand at a place of a text. Octets of a text fit in 31 bits.
struct FactorSuspect {
  std::uint32_t entry = 0;
  std::int32_t at = 0;
};

// Buffers of one worker.
struct FactorScratch {
  TextLayout layout;
  std::vector<FactorSuspect> suspects;
  std::vector<std::uint32_t> seen;  // by target: the walk that found it last
  std::uint32_t walk = 0;
};

// A set of numbers that knows which one of its members in order a member is.
class RankedBits {
 public:
  void assign(std::size_t numbers);
  void add(std::size_t number) noexcept { bits_[number / 64] |= std::uint64_t{1} << (number % 64); }
  void finish();  // once all are added
  // What both questions are asked of; for loops that keep it at hand.
  const std::uint64_t* words() const noexcept { return bits_.data(); }
  const std::uint32_t* ranks() const noexcept { return ranks_.data(); }
  static std::uint64_t has(const std::uint64_t* words, std::size_t number) noexcept {
    return words[number / 64] >> (number % 64) & 1;
  }
  static std::size_t rank(const std::uint64_t* words, const std::uint32_t* ranks,
                          std::size_t number) noexcept {
    const std::uint64_t below = words[number / 64] & ((std::uint64_t{1} << (number % 64)) - 1);
    return ranks[number / 64] + static_cast<std::size_t>(std::popcount(below));
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> ranks_;  // of the first bit of each word
};

// What stands in a text around a place, for the index: some places in a row of which one must be inside.
struct Run {
  std::vector<OctetSet> places;
  std::size_t begin = 0;  // places before `begin` and from `end` on may be outside of the text
  std::size_t end = 0;
};

// What of a run is looked for: up to four letters of which the first has none before it, without case and
// with what ends them if they are fewer, or two places as they are.
struct RunPiece {
  std::size_t offset = 0;  // of its first place in the run
  bool four = false;
  double likely = 1;  // to stand at a place of an ordinary text
  double cost = 1;    // what looking for it costs, in the same unit
};

// Pieces that are more likely are of no use: every text would be suspected.
inline constexpr double kMaxLikely = 0.9;

// Where a whole word counts.
enum class WordPlace : std::uint8_t {
  kAnywhere,
  kCommand,      // where a command can stand, and the name be over (command_place.h)
  kCommandAmid,  // there, but not as all of the text
};

// Runs and whole words, each for a target (a number from 0). Built once, then immutable. Words are
// runs of a-z, 0-9 and _ without case, perhaps with digits behind them.
class FactorIndex {
 public:
  // A run of which match() of the target's LocalMatcher decides whether it leads anywhere.
  struct Candidate {
    std::uint32_t target = 0;
    std::uint32_t starts = 0;  // for match_from() of the leaf, and
    std::size_t place = 0;     // the place of the run that it takes
    // Takes from places in a row what cannot stand there in a match, if the piece's hold what they do;
    // `at`: which of them the leaf takes. False: nothing can.
    std::function<bool(std::span<OctetSet> places, std::size_t at)> narrow;
    // Of octets, of which it treats all of one class alike; below `classes`.
    std::function<std::size_t(unsigned char)> class_of;
    std::size_t classes = 0;
  };
  // The piece of a run that costs least, what was chosen before considered.
  RunPiece choose(const Run& run);
  void add(const Run& run, const RunPiece& piece, const Candidate& candidate);
  // False if `word` is empty or has octets other than a-z, 0-9 and _.
  bool add_word(std::string_view word, std::uint32_t target, WordPlace place = WordPlace::kAnywhere);
  void build();

  // Calls found(target) once for each target of which `wanted(target)` holds and that stands in `text`: a
  // word as such, a run where matches(target, starts, position in text) holds.
  template <class Wanted, class Matches, class Found>
  void walk(std::string_view text, FactorScratch& scratch, Wanted&& wanted, Matches&& matches,
            Found&& found) const;

 private:
  struct Entry {
    Window around;
    std::uint32_t target = 0;
    std::uint32_t index = 0;  // in words_, or the candidate's starts
    std::int16_t offset = 0;  // of the place that is asked about from the piece; of the piece in a word
    bool word = false;
  };
  static constexpr std::size_t kFour = 4;  // places of a piece of four
  struct Keyed {
    std::uint32_t key = 0;
    std::uint32_t entry = 0;  // in pool_
  };
  // What is to be asked where a piece stands.
  struct alignas(32) Slot {  // never in two lines of the cache
    std::uint32_t key = 0;   // of four places: the octets
    std::uint32_t mask = 0;  // and which of their bits count
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    // The groups that any of the entries allows at the two places before the piece and the two behind it.
    std::array<std::uint32_t, 4> around{};
  };
  // Keys of two places: two octets, or an edge and one octet.
  static constexpr std::uint32_t kEdgeBefore = PairSlots::kPairs;
  static constexpr std::uint32_t kEdgeBehind = kEdgeBefore + 256;
  static constexpr std::uint32_t kKeys = kEdgeBehind + 256;
  static constexpr unsigned kHashBits = 17;
  static constexpr std::size_t bit_of(std::uint32_t four) noexcept {
    return (four * 0x9e3779b97f4a7c15u) >> (64 - kHashBits);
  }
  // Places that are looked at together, so that what is found out about them stays near.
  static constexpr std::size_t kBlock = 4 * TextLayout::kMarks;
  struct Placed {  // not initialised: blocks of them stand on the stack
    std::uint32_t slot;
    std::int32_t at;
  };
  // Puts into scratch.suspects what may stand in a text of `size` octets with its piece at a place from
  // `from`, a block's first, to `to`; how many.
  std::size_t suspect(FactorScratch& scratch, std::size_t size, std::size_t from, std::size_t to) const;
  std::size_t place_fours(const TextLayout& layout, std::size_t from, std::size_t to,
                          Placed* placed) const noexcept;
  std::size_t place_twos(const TextLayout& layout, std::size_t size, std::size_t from, std::size_t to,
                         Placed* placed) const noexcept;
  // Adds to `count` suspects those entries of the slots whose windows fit; how many there are then.
  template <std::size_t Length>
  std::size_t look_around(const std::vector<Slot>& slots, std::span<const Placed> placed, std::size_t count,
                          FactorScratch& scratch) const;
  bool word_stands(const Entry& entry, std::string_view text, std::ptrdiff_t at) const noexcept;
  // The index of an entry that has this for its window; kNoEntry if nothing can stand there.
  static constexpr std::uint32_t kNoEntry = 0xffffffff;
  std::uint32_t entry_of(const Run& run, const RunPiece& piece, std::span<const OctetSet> found,
                         const Candidate* candidate, Entry entry);
  double growth(const OctetSet& first, const OctetSet& second) const noexcept;
  void add_four(const Run& run, const RunPiece& piece, const Candidate* candidate, const Entry& entry);
  void add_two(const Run& run, const RunPiece& piece, const Candidate* candidate, const Entry& entry);
  Slot slot_for(std::span<const std::uint32_t> entries);
  void build_fours();
  void build_twos();

  struct StoredWord {
    std::string text;
    WordPlace place = WordPlace::kAnywhere;
  };
  std::vector<StoredWord> words_;
  std::uint32_t targets_ = 0;
  std::vector<Entry> pool_;  // while it is built; and so are
  std::vector<Keyed> fours_;
  std::vector<Keyed> twos_;
  std::vector<Entry> entries_;
  std::size_t most_entries_ = 0;  // of one slot
  RankedBits four_bits_;          // which hashes there are
  std::vector<Slot> four_slots_;  // by rank
  OctetSet chosen_first_;         // octets of words, in pieces of two that were chosen
  OctetSet chosen_second_;
  PairMarks pair_marks_;
  PairSlots pair_slots_;
  std::array<std::uint16_t, 256> edge_before_{};  // slots by the octet at the edge
  std::array<std::uint16_t, 256> edge_behind_{};
  std::vector<Slot> two_slots_{Slot()};  // the first is PairSlots::kNone
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
  const std::size_t size = text.size();
  scratch.layout.begin(text, pair_marks_);
  const auto ask = [&](std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::ptrdiff_t at = scratch.suspects[k].at;
      const Entry& entry = entries_[scratch.suspects[k].entry];
      if (scratch.seen[entry.target] == scratch.walk || !wanted(entry.target)) continue;
      if (entry.word) {
        if (!word_stands(entry, text, at - entry.offset)) continue;
      } else {
        const std::ptrdiff_t place = at + entry.offset;
        if (place < 0 || place >= static_cast<std::ptrdiff_t>(size)) continue;
        if (!matches(entry.target, entry.index, static_cast<std::size_t>(place))) continue;
      }
      scratch.seen[entry.target] = scratch.walk;
      found(entry.target);
    }
  };
  for (std::size_t from = 0; from < size; from += kBlock) {
    const std::size_t to = std::min(from + kBlock, size);
    ask(suspect(scratch, size, from, to));
  }
}

}  // namespace wafd::detect
