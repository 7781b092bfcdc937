#include "detect/factor_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "detect/core/octets.h"
#include "detect/factors.h"

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
constexpr unsigned char folded_octet(char c) noexcept { return is_word_octet(c) ? octet(to_lower(c)) : 0; }

// A set as folded text has it, a bit for each octet there is: 0, then a-z, 0-9, _.
constexpr unsigned kFoldedOctets = 38;
constexpr std::array<unsigned char, kFoldedOctets> kFolded = [] {
  std::array<unsigned char, kFoldedOctets> table{};
  for (unsigned i = 0; i < 26; ++i) table[1 + i] = static_cast<unsigned char>('a' + i);
  for (unsigned i = 0; i < 10; ++i) table[27 + i] = static_cast<unsigned char>('0' + i);
  table[37] = '_';
  return table;
}();

std::uint64_t folded_bits(const OctetSet& set) noexcept {
  constexpr std::uint64_t kLetters = 0x3ffffff;
  constexpr std::uint64_t kDigitOctets = std::uint64_t{0x3ff} << '0';
  constexpr std::uint64_t kWordOctets = kLetters << 33 | kLetters << 1 | std::uint64_t{1} << ('_' - 64);
  const std::uint64_t letters = (set.words[1] >> 1 | set.words[1] >> 33) & kLetters;
  const std::uint64_t digits = (set.words[0] & kDigitOctets) >> '0';
  const std::uint64_t line = set.words[1] >> ('_' - 64) & 1;
  const bool other = set.edge || (set.words[0] & ~kDigitOctets) != 0 || (set.words[1] & ~kWordOctets) != 0 ||
                     set.words[2] != 0 || set.words[3] != 0;
  return (other ? 1u : 0u) | letters << 1 | digits << 27 | line << 37;
}

std::vector<unsigned char> folded_octets(const OctetSet& set) {
  std::vector<unsigned char> out;
  for (std::uint64_t bits = folded_bits(set); bits != 0; bits &= bits - 1)
    out.push_back(kFolded[static_cast<std::size_t>(std::countr_zero(bits))]);
  return out;
}

double folded_likelihood(std::uint64_t bits) noexcept {
  static const std::array<double, kFoldedOctets> kLikely = [] {
    std::array<double, kFoldedOctets> table{};
    table[0] = 0.2;
    for (std::size_t i = 1; i < table.size(); ++i) {
      OctetSet one;
      one.add(kFolded[i]);
      if (is_alpha(static_cast<char>(kFolded[i]))) one.add(static_cast<unsigned char>(kFolded[i] - 32));
      table[i] = likelihood(one);
    }
    return table;
  }();
  double sum = 0;
  for (; bits != 0; bits &= bits - 1) sum += kLikely[static_cast<std::size_t>(std::countr_zero(bits))];
  return sum;
}

// How often a place of an ordinary text is one of the set, or lies outside of the text.
double with_edge(const OctetSet& set) noexcept {
  constexpr double kEdgeLikelihood = 0.001;
  return std::min(1.0, likelihood(set) + (set.edge ? kEdgeLikelihood : 0));
}

}  // namespace

RunPiece best_piece(const Run& run) {
  RunPiece best;
  const std::vector<OctetSet>& places = run.places;
  for (std::size_t i = run.begin == 0 ? 0 : run.begin - 1; i < run.end; ++i) {
    const OctetSet& next = i + 1 < places.size() ? places[i + 1] : OctetSet::everything();
    const double two = with_edge(places[i]) * with_edge(next);
    if (two < best.likely) best = {i, false, two};
  }
  for (std::size_t i = run.begin < 3 ? 0 : run.begin - 3; i < run.end && i + 4 <= places.size(); ++i) {
    double four = 1;
    std::size_t keys = 1;
    for (std::size_t k = i; k < i + 4 && keys <= kMaxKeys; ++k) {
      const std::uint64_t bits = folded_bits(places[k]);
      keys *= static_cast<std::size_t>(std::popcount(bits));
      four *= folded_likelihood(bits);
    }
    if (keys <= kMaxKeys && four < best.likely) best = {i, true, four};
  }
  return best;
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
    if (folded_octet(c) != octet(c) || c == 0) return false;
    OctetSet set;
    set.add(octet(c));
    if (is_alpha(c)) set.add(static_cast<unsigned char>(c - 32));
    run.places.push_back(set);
  }
  run.places.push_back(behind);
  run.begin = 1;
  run.end = run.places.size() - 1;
  const RunPiece piece = best_piece(run);
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
  out.edge = c == 0 && set.edge;
  set.each([&](unsigned char octet) {
    if (folded_octet(static_cast<char>(octet)) == c) out.add(octet);
  });
  return out;
}

}  // namespace

void FactorIndex::add_four(const Run& run, const RunPiece& piece, const Candidate* candidate,
                           const Entry& entry) {
  std::array<std::vector<unsigned char>, 4> places;
  for (std::size_t k = 0; k < 4; ++k) places[k] = folded_octets(run.places[piece.offset + k]);
  for (const unsigned char a : places[0]) {
    for (const unsigned char b : places[1]) {
      for (const unsigned char c : places[2]) {
        for (const unsigned char d : places[3]) {
          const unsigned char octets[4] = {a, b, c, d};
          std::uint32_t key = 0;
          std::memcpy(&key, octets, sizeof key);
          std::array<OctetSet, 4> found;
          for (std::size_t k = 0; k < 4; ++k) found[k] = unfolded(octets[k], run.places[piece.offset + k]);
          const std::uint32_t index = entry_of(run, piece, found, candidate, entry);
          if (index != kNoEntry) fours_.push_back({key, index});
        }
      }
    }
  }
}

void FactorIndex::add_two(const Run& run, const RunPiece& piece, const Candidate* candidate,
                          const Entry& entry) {
  const OctetSet first = run.places[piece.offset];
  const OctetSet second =
      piece.offset + 1 < run.places.size() ? run.places[piece.offset + 1] : OctetSet::everything();
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
        b.each([&](unsigned char right) { twos_.push_back({pair_of(inside(left), inside(right)), index}); });
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
  two_bits_.assign(kPairs);
  std::vector<std::vector<std::uint32_t>> by_pair(kPairs);
  for (const Keyed& keyed : twos_) {
    std::vector<std::uint32_t>& entries = by_pair[keyed.key];
    if (entries.empty() || entries.back() != keyed.entry) entries.push_back(keyed.entry);
  }
  // Pairs with the same entries share them: a class of octets makes many such pairs.
  std::map<std::vector<std::uint32_t>, std::uint16_t> known;
  for (std::uint32_t pair = 0; pair < by_pair.size(); ++pair) {
    if (by_pair[pair].empty()) continue;
    two_bits_.add(pair);
    const auto [it, made] = known.try_emplace(by_pair[pair], static_cast<std::uint16_t>(two_slots_.size()));
    pair_slots_.push_back(it->second);
    if (made) two_slots_.push_back(slot_for(it->first));
  }
  two_bits_.finish();
}

void FactorIndex::build() {
  build_fours();
  build_twos();
  pool_ = {};
  fours_ = {};
  twos_ = {};
}

}  // namespace wafd::detect
