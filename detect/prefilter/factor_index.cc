#include "detect/prefilter/factor_index.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "detect/core/octets.h"
#include "detect/prefilter/factors.h"

namespace wafd::detect {

void RankedBits::assign(std::size_t numbers) { bits_.assign((numbers + 63) / 64, 0); }

void RankedBits::finish() {
  std::size_t sum = 0;
  ranks_.clear();
  for (const std::uint64_t word : bits_) {
    ranks_.push_back(static_cast<std::uint32_t>(sum));
    sum += static_cast<std::size_t>(std::popcount(word));
  }
}

namespace {

constexpr std::size_t kMaxKeys = 512;  // of one factor

constexpr bool is_word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

// A set as folded text has it, a bit for each octet there is: three that are no letters, then a-z.
constexpr unsigned kFoldedOthers = 3;
constexpr unsigned kFoldedOctets = kFoldedOthers + 26;
constexpr std::uint32_t kOthers = (1u << kFoldedOthers) - 1;
constexpr unsigned char folded_of(unsigned bit) noexcept {
  return static_cast<unsigned char>(bit < kFoldedOthers ? bit : 'a' + bit - kFoldedOthers);
}
constexpr unsigned bit_of_folded(unsigned char folded) noexcept {
  return folded < kFoldedOthers ? folded : folded - 'a' + kFoldedOthers;
}

std::uint32_t folded_bits(const OctetSet& set) noexcept {
  std::uint32_t bits = set.edge ? 1u << kFoldedOther : 0;
  set.each([&](unsigned char octet) { bits |= 1u << bit_of_folded(folded_octet(octet)); });
  return bits;
}

double folded_likelihood(std::uint32_t bits) noexcept {
  static const std::array<double, kFoldedOctets> kLikely = [] {
    std::array<OctetSet, kFoldedOctets> sets;
    for (unsigned c = 0; c < 256; ++c) {
      const auto octet = static_cast<unsigned char>(c);
      sets[bit_of_folded(folded_octet(octet))].add(octet);
    }
    std::array<double, kFoldedOctets> table{};
    for (unsigned i = 0; i < kFoldedOctets; ++i) table[i] = likelihood(sets[i]);
    return table;
  }();
  double sum = 0;
  for (; bits != 0; bits &= bits - 1) sum += kLikely[static_cast<std::size_t>(std::countr_zero(bits))];
  return sum;
}

OctetSet united(const OctetSet& a, const OctetSet& b) noexcept {
  OctetSet out = a;
  b.each([&](unsigned char octet) { out.add(octet); });
  return out;
}

// The place of a run; beyond it, anything.
OctetSet place_of(const Run& run, std::size_t place) noexcept {
  return place < run.places.size() ? run.places[place] : OctetSet::everything();
}

// How often a place of an ordinary text is one of the set, or lies outside of the text.
double with_edge(const OctetSet& set) noexcept {
  constexpr double kEdgeLikelihood = 0.001;
  return std::min(1.0, likelihood(set) + (set.edge ? kEdgeLikelihood : 0));
}

// What costs as much as asking about a piece once: looking at two places.
constexpr double kLook = 0.5;
constexpr double kWordStart = 0.4;  // how often a place of an ordinary text is behind no letter

// The letters of a run from `place` on, if they begin a word; null if not always or if they have too many
// keys.
std::optional<RunPiece> letters_at(const Run& run, std::size_t place) noexcept {
  if (place == 0 || (folded_bits(run.places[place - 1]) & ~kOthers) != 0) return std::nullopt;
  RunPiece piece{place, true, 0, 0};
  if ((folded_bits(run.places[place]) & kOthers) != 0) return std::nullopt;
  double open = kWordStart;
  std::size_t keys = 0;
  std::size_t open_keys = 1;
  for (std::size_t i = place; i < place + 4; ++i) {
    const std::uint32_t bits = folded_bits(place_of(run, i));
    piece.likely += open * folded_likelihood(bits & kOthers);
    open *= folded_likelihood(bits & ~kOthers);
    keys += open_keys * static_cast<std::size_t>(std::popcount(bits & kOthers));
    open_keys *= static_cast<std::size_t>(std::popcount(bits & ~kOthers));
    if (keys + open_keys > kMaxKeys) return std::nullopt;
  }
  piece.likely += open;
  piece.cost = piece.likely;
  return piece;
}

}  // namespace

RunPiece FactorIndex::choose(const Run& run) {
  // Octets outside of words are looked at anyway, those of words where both are among the chosen.
  const auto two_at = [&](std::size_t place) {
    const OctetSet first = place_of(run, place);
    const OctetSet second = place_of(run, place + 1);
    const double likely = with_edge(first) * with_edge(second);
    return RunPiece{place, false, likely,
                    likely + kLook * growth(word_octets_of(first), word_octets_of(second))};
  };
  RunPiece best = two_at(run.begin == 0 ? 0 : run.begin - 1);
  const auto consider = [&](const RunPiece& piece) {
    if (piece.cost < best.cost) best = piece;
  };
  for (std::size_t i = best.offset + 1; i < run.end; ++i) consider(two_at(i));
  for (std::size_t i = run.begin < 3 ? 0 : run.begin - 3; i < run.end; ++i) {
    if (const std::optional<RunPiece> letters = letters_at(run, i)) consider(*letters);
  }
  if (!best.four) {
    const OctetSet first = word_octets_of(place_of(run, best.offset));
    const OctetSet second = word_octets_of(place_of(run, best.offset + 1));
    if (growth(first, second) != 0) {
      chosen_first_ = united(chosen_first_, first);
      chosen_second_ = united(chosen_second_, second);
    }
  }
  return best;
}

// How much likelier a place is to be looked at if these octets of words are chosen too.
double FactorIndex::growth(const OctetSet& first, const OctetSet& second) const noexcept {
  if (first == OctetSet{} || second == OctetSet{}) return 0;
  return likelihood(united(chosen_first_, first)) * likelihood(united(chosen_second_, second)) -
         likelihood(chosen_first_) * likelihood(chosen_second_);
}

std::uint32_t FactorIndex::entry_of(const Run& run, const RunPiece& piece, std::span<const OctetSet> found,
                                    const Candidate* candidate, Entry entry) {
  // The run with at least as many places around it as the window has.
  constexpr std::size_t kAround = 2 * kWindowHalf;
  std::vector<OctetSet> places(run.places.size() + 2 * kAround, OctetSet::everything());
  std::copy(run.places.begin(), run.places.end(), places.begin() + kAround);
  std::copy(found.begin(), found.end(), places.begin() + static_cast<std::ptrdiff_t>(kAround + piece.offset));
  if (candidate != nullptr && !candidate->narrow(places, kAround + candidate->place)) return kNoEntry;
  const std::size_t before = kAround + piece.offset - kWindowHalf;
  const std::size_t behind = kAround + piece.offset + (piece.four ? 4 : 2);
  for (std::size_t i = 0; i < kWindowHalf; ++i) {
    entry.around.groups[i] = groups_of(places[before + i]);
    entry.around.groups[kWindowHalf + i] = groups_of(places[behind + i]);
  }
  pool_.push_back(entry);
  return static_cast<std::uint32_t>(pool_.size() - 1);
}

void FactorIndex::add(const Run& run, const RunPiece& piece, const Candidate& candidate) {
  const auto offset = static_cast<std::int16_t>(static_cast<std::ptrdiff_t>(candidate.place) -
                                                static_cast<std::ptrdiff_t>(piece.offset));
  targets_ = std::max(targets_, candidate.target + 1);
  const Entry entry{{}, candidate.target, candidate.starts, offset, false};
  if (piece.four) {
    add_four(run, piece, &candidate, entry);
  } else {
    add_two(run, piece, &candidate, entry);
  }
}

bool FactorIndex::add_word(std::string_view word, std::uint32_t target, WordPlace place) {
  if (word.empty()) return false;
  Run run;
  OctetSet outside = OctetSet::everything();
  OctetSet behind = OctetSet::everything();
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    if (!is_word_octet(ch)) continue;
    outside.words[c >> 6] &= ~(std::uint64_t{1} << (c & 63));
    if (!is_digit(ch)) behind.words[c >> 6] &= ~(std::uint64_t{1} << (c & 63));
  }
  run.places.push_back(outside);
  for (const char c : word) {
    if (!is_word_octet(c) || to_lower(c) != c) return false;
    OctetSet set;
    set.add(octet(c));
    if (is_alpha(c)) set.add(static_cast<unsigned char>(c - 32));
    run.places.push_back(set);
  }
  run.places.push_back(behind);
  run.begin = 1;
  run.end = run.places.size() - 1;
  const RunPiece piece = choose(run);
  // The place in front of the word is the first.
  const auto offset = static_cast<std::int16_t>(static_cast<std::ptrdiff_t>(piece.offset) - 1);
  targets_ = std::max(targets_, target + 1);
  const Entry entry{{}, target, static_cast<std::uint32_t>(words_.size()), offset, true};
  if (piece.four) {
    add_four(run, piece, nullptr, entry);
  } else {
    add_two(run, piece, nullptr, entry);
  }
  words_.push_back({std::string(word), place});
  return true;
}

namespace {

// Of a set what folded text has as `c`.
OctetSet unfolded(unsigned char c, const OctetSet& set) {
  OctetSet out;
  out.edge = c == kFoldedOther && set.edge;
  set.each([&](unsigned char octet) {
    if (folded_octet(octet) == c) out.add(octet);
  });
  return out;
}

// Beginnings of words, and what stands there.
struct Letters {
  std::uint32_t key = 0;  // as word_key() has it
  bool ended = false;
  std::array<OctetSet, 4> found;
};

}  // namespace

void FactorIndex::add_four(const Run& run, const RunPiece& piece, const Candidate* candidate,
                           const Entry& entry) {
  std::vector<Letters> all(1);
  for (unsigned i = 0; i < 4; ++i) {
    const OctetSet set = place_of(run, piece.offset + i);
    std::vector<Letters> longer;
    for (Letters& letters : all) {
      if (letters.ended) {
        letters.found[i] = set;
        longer.push_back(letters);
        continue;
      }
      for (std::uint32_t bits = folded_bits(set); bits != 0; bits &= bits - 1) {
        const unsigned char c = folded_of(static_cast<unsigned>(std::countr_zero(bits)));
        Letters& next = longer.emplace_back(letters);
        next.key |= static_cast<std::uint32_t>(c) << (8 * i);
        next.ended = (c & kFoldedLetter) == 0;
        next.found[i] = unfolded(c, set);
      }
    }
    all = std::move(longer);
  }
  for (const Letters& letters : all) {
    const std::uint32_t index = entry_of(run, piece, letters.found, candidate, entry);
    if (index != kNoEntry) fours_.push_back({letters.key, index});
  }
}

void FactorIndex::add_two(const Run& run, const RunPiece& piece, const Candidate* candidate,
                          const Entry& entry) {
  const OctetSet first = place_of(run, piece.offset);
  const OctetSet second = place_of(run, piece.offset + 1);
  const std::size_t classes = candidate != nullptr ? candidate->classes : 256;
  const auto class_of = [&](unsigned char octet) {
    return candidate != nullptr ? candidate->class_of(octet) : std::size_t{octet};
  };
  // By class, what of the set is of it; the edge is one more.
  const auto by_class = [&](const OctetSet& set) {
    std::vector<OctetSet> sets(classes + 1);
    set.each([&](unsigned char octet) { sets[class_of(octet)].add(octet); });
    sets[classes].edge = set.edge;
    return sets;
  };
  const std::vector<OctetSet> firsts = by_class(first);
  const std::vector<OctetSet> seconds = by_class(second);
  for (const OctetSet& a : firsts) {
    if (a == OctetSet{}) continue;
    for (const OctetSet& b : seconds) {
      if (b == OctetSet{}) continue;
      const std::array<OctetSet, 2> found{a, b};
      const std::uint32_t index = entry_of(run, piece, found, candidate, entry);
      if (index == kNoEntry) continue;
      a.each([&](unsigned char left) {
        b.each([&](unsigned char right) {
          twos_.push_back(
              {static_cast<std::uint32_t>(PairSlots::number(inside(left), inside(right))), index});
        });
        if (b.edge) twos_.push_back({kEdgeBehind + inside(left), index});
      });
      if (a.edge) b.each([&](unsigned char right) { twos_.push_back({kEdgeBefore + inside(right), index}); });
    }
  }
}

FactorIndex::Slot FactorIndex::slot_for(std::span<const std::uint32_t> entries) {
  Slot slot;
  slot.begin = static_cast<std::uint32_t>(entries_.size());
  for (const std::uint32_t index : entries) {
    const Entry& entry = pool_[index];
    for (std::size_t i = 0; i < slot.around.size(); ++i)
      slot.around[i] |= entry.around.groups[kWindowHalf - 2 + i];
    entries_.push_back(entry);
  }
  slot.end = static_cast<std::uint32_t>(entries_.size());
  most_entries_ = std::max(most_entries_, entries.size());
  return slot;
}

void FactorIndex::build_fours() {
  std::stable_sort(fours_.begin(), fours_.end(), [](const Keyed& a, const Keyed& b) {
    const auto order = [](const Keyed& keyed) { return std::pair(bit_of(keyed.key), keyed.key); };
    return order(a) < order(b);
  });
  four_bits_.assign(std::size_t{1} << kHashBits);
  std::vector<std::uint32_t> entries;
  for (std::size_t i = 0; i < fours_.size();) {
    // The few keys whose hash is the same share a slot, which then asks for less.
    const std::uint32_t key = fours_[i].key;
    const std::size_t bit = bit_of(key);
    std::uint32_t differ = 0;
    entries.clear();
    for (; i < fours_.size() && bit_of(fours_[i].key) == bit; ++i) {
      entries.push_back(fours_[i].entry);
      differ |= fours_[i].key ^ key;
    }
    four_bits_.add(bit);
    Slot slot = slot_for(entries);
    slot.key = key & ~differ;
    slot.mask = ~differ;
    four_slots_.push_back(slot);
  }
  four_bits_.finish();
}

void FactorIndex::build_twos() {
  std::vector<std::vector<std::uint32_t>> by_key(kKeys);
  for (const Keyed& keyed : twos_) {
    std::vector<std::uint32_t>& entries = by_key[keyed.key];
    if (entries.empty() || entries.back() != keyed.entry) entries.push_back(keyed.entry);
  }
  // Keys with the same entries share them: a class of octets makes many such keys.
  std::map<std::vector<std::uint32_t>, std::uint16_t> known;
  std::vector<std::uint16_t> slots(kKeys, PairSlots::kNone);
  for (std::uint32_t key = 0; key < kKeys; ++key) {
    if (by_key[key].empty()) continue;
    const auto [it, made] = known.try_emplace(by_key[key], static_cast<std::uint16_t>(two_slots_.size()));
    slots[key] = it->second;
    if (made) two_slots_.push_back(slot_for(it->first));
  }
  const std::span<const std::uint16_t> all(slots);
  pair_marks_ = PairMarks(PairOctets::of(all.first(PairSlots::kPairs)));
  pair_slots_ = PairSlots(all.first(PairSlots::kPairs));
  std::copy_n(slots.begin() + kEdgeBefore, 256, edge_before_.begin());
  std::copy_n(slots.begin() + kEdgeBehind, 256, edge_behind_.begin());
}

void FactorIndex::build() {
  build_fours();
  build_twos();
  pool_ = {};
  fours_ = {};
  twos_ = {};
}

}  // namespace wafd::detect
