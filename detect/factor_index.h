// Finds which of many short runs of octets may stand in a text, in one walk over its octets.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/octet_groups.h"

namespace wafd::detect {

// Buffers of one worker.
struct FactorScratch {
  std::vector<unsigned char> folded;
  std::vector<std::uint32_t> places;  // where a piece may stand
  std::vector<std::uint32_t> seen;    // by target: the walk that found it last
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
    std::uint32_t starts = 0;  // for match_from() of the leaf, and
    std::size_t place = 0;     // the place of the run that it takes
    // Takes from places in a row what cannot stand there in a match, if the piece's hold what they do;
    // `at`: which of them the leaf takes. False: nothing can.
    std::function<bool(std::span<OctetSet> places, std::size_t at)> narrow;
    // Of octets, of which it treats all of one class alike; below `classes`.
    std::function<std::size_t(unsigned char)> class_of;
    std::size_t classes = 0;
  };
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
    Window around;  // from kWindowBefore places before the piece on
    std::uint32_t target = 0;
    std::uint32_t index = 0;  // in words_, or the candidate's starts
    std::int16_t offset = 0;  // of the place that is asked about from the piece; of the piece in a word
    bool word = false;
  };
  static constexpr std::ptrdiff_t kWindowBefore = 2;
  struct Keyed {
    std::uint32_t key = 0;
    std::uint32_t entry = 0;  // in pool_
  };
  struct Slot {
    std::uint32_t key = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;  // 0: free
    // The groups that any of the entries allows right before the piece and right behind it.
    std::uint32_t before = 0;
    std::uint32_t behind = 0;
  };
  // Keys of two places: two octets, or an edge and one octet.
  static std::uint32_t four_at(const unsigned char* octets) noexcept {
    std::uint32_t four = 0;
    __builtin_memcpy(&four, octets, sizeof four);
    return four;
  }
  static std::uint16_t pair_at(const unsigned char* octets) noexcept {
    std::uint16_t pair = 0;
    __builtin_memcpy(&pair, octets, sizeof pair);
    return pair;
  }
  static std::uint32_t pair_of(unsigned char first, unsigned char second) noexcept {
    const unsigned char octets[2] = {first, second};
    return pair_at(octets);
  }
  static constexpr std::uint32_t kEdgeBefore = 0x10000;
  static constexpr std::uint32_t kEdgeBehind = kEdgeBefore + 256;
  static constexpr std::uint32_t kPairs = kEdgeBehind + 256;
  static constexpr std::size_t kEdge = 4;  // folded octets of no word around a text
  static constexpr unsigned kHashBits = 17;
  static constexpr std::uint64_t hash(std::uint32_t key) noexcept { return key * 0x9e3779b97f4a7c15u; }
  // Of a hash, from its upper bits, the only good ones: a bit of four_bits_, a slot.
  static constexpr std::size_t bit_at(std::uint64_t hash) noexcept { return hash >> (64 - kHashBits); }
  static constexpr std::size_t slot_at(std::uint64_t hash) noexcept { return hash >> 32; }
  // The places, of `size` from `octets` on, at which a key begins that there may be; how many. `places` has
  // room for all.
  std::size_t find_fours(const unsigned char* octets, std::size_t size, std::uint32_t* places) const noexcept;
  std::size_t find_twos(const unsigned char* octets, std::size_t size, std::uint32_t* places) const noexcept;
  static void fold(std::string_view text, std::vector<unsigned char>& out);
  bool word_stands(const Entry& entry, std::string_view text, std::ptrdiff_t at) const noexcept;
  // The index of an entry that has this for its window; kNoEntry if nothing can stand there.
  static constexpr std::uint32_t kNoEntry = 0xffffffff;
  std::uint32_t entry_of(const Run& run, const RunPiece& piece, std::span<const OctetSet> found,
                         const Candidate* candidate, Entry entry);
  void add_four(const Run& run, const RunPiece& piece, const Candidate* candidate, const Entry& entry);
  void add_two(const Run& run, const RunPiece& piece, const Candidate* candidate, const Entry& entry);
  Slot slot_for(std::span<const std::uint32_t> entries, std::uint32_t key, std::size_t length);
  void build_fours();
  void build_twos();
  const Slot* slot_of(std::uint32_t key) const noexcept;

  struct StoredWord {
    std::string text;
    WordPlace place = WordPlace::kAnywhere;
  };
  std::vector<StoredWord> words_;
  std::uint32_t targets_ = 0;
  std::vector<Entry> pool_;  // while it is built; and so are
  std::vector<Keyed> fours_;
  std::vector<Keyed> twos_;
  bool has_fours_ = false;
  bool has_twos_ = false;
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
  if (scratch.places.size() < text.size() + 4) scratch.places.resize(text.size() + 4);
  std::uint32_t* const places = scratch.places.data();
  const auto ask = [&](const Slot& slot, std::ptrdiff_t at) {
    const WindowReader window(text, at - kWindowBefore);
    for (std::uint32_t i = slot.begin; i < slot.end; ++i) {
      const Entry& entry = entries_[i];
      if (!window.fits(entry.around)) continue;
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
  // Places are collected without a branch on each, then asked about.
  if (has_fours_) {
    fold(text, scratch.folded);
    const unsigned char* folded = scratch.folded.data() + 1;
    const std::size_t count = find_fours(folded, text.size() + 3, places);
    for (std::size_t k = 0; k < count; ++k) {
      const Slot* slot = slot_of(four_at(folded + places[k]));
      if (slot == nullptr) continue;
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(places[k]) - 3;
      if ((group_at(text, at - 1) & slot->before) == 0 || (group_at(text, at + 4) & slot->behind) == 0)
        continue;
      ask(*slot, at);
    }
  }
  if (has_twos_) {
    const auto* octets = reinterpret_cast<const unsigned char*>(text.data());
    const std::size_t count = find_twos(octets, text.size() - 1, places);
    const auto consider = [&](std::uint32_t key, std::ptrdiff_t at) {
      const Slot& slot = pairs_[pair_slots_[key]];
      if ((group_at(text, at - 1) & slot.before) != 0 && (group_at(text, at + 2) & slot.behind) != 0)
        ask(slot, at);
    };
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = places[k];
      consider(pair_at(octets + i), static_cast<std::ptrdiff_t>(i));
    }
    for (const auto& [key, at] : {std::pair(kEdgeBefore + octets[0], std::ptrdiff_t{-1}),
                                  std::pair(kEdgeBehind + octets[text.size() - 1], size - 1)}) {
      if ((two_bits_[key / 64] >> (key % 64) & 1) != 0) consider(key, at);
    }
  }
}

}  // namespace wafd::detect
