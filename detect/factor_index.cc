#include "detect/factor_index.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "detect/core/octets.h"
#include "detect/factors.h"

namespace wafd::detect {
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

// All that a look for a command's place reads before a word.
constexpr std::size_t kMaxSpacesBefore = 16;  // more: it may stand there
constexpr std::size_t kMaxAssignment = 96;

// Behind these, spaces or none between, begins no command: words, file names, closed groups, octets of other
// scripts.
constexpr OctetSet kNoCommandBehind = [] {
  OctetSet set;
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    if (c >= 0x80 || is_word_octet(ch) || ch == '.' || ch == ':' || ch == ')' || ch == ']' || ch == '%' ||
        ch == '-')
      set.add(static_cast<unsigned char>(c));
  }
  return set;
}();

bool command_may_begin(std::string_view text, std::size_t at) noexcept {
  const std::size_t least = at > kMaxSpacesBefore ? at - kMaxSpacesBefore : 0;
  std::size_t i = at;
  while (i > least && is_space(text[i - 1])) {
    --i;
    if (text[i] == '\n' || text[i] == '\r') return true;
  }
  if (i == 0 || (i == least && i + kMaxSpacesBefore == at)) return true;
  const char before = text[i - 1];
  if (before == ',') return i == at;
  if (!kNoCommandBehind.has(octet(before))) return true;
  if (i == at) return false;
  // A=b command
  for (std::size_t k = i; k > 0 && i - k < kMaxAssignment; --k) {
    const char c = text[k - 1];
    if (c == '=') return true;
    if (is_space(c) || c == ';' || c == '&' || c == '|') return false;
  }
  return false;
}

OctetSet as_pair_set(const OctetSet& set) noexcept {
  OctetSet out = set;
  if (set.edge) out.add('\n');
  return out;
}

OctetSet everything() noexcept {
  OctetSet out;
  for (auto& word : out.words) word = ~std::uint64_t{0};
  out.edge = true;
  return out;
}

}  // namespace

// Letters in lower case, digits and '_' as they are, anything else 0; kEdge zeros on both sides.
void FactorIndex::fold(std::string_view text, std::vector<unsigned char>& out) {
  const std::size_t needed = text.size() + 2 * kEdge + 16;
  if (out.size() < needed) out.resize(needed);
  std::memset(out.data(), 0, kEdge);
  unsigned char* to = out.data() + kEdge;
  std::size_t i = 0;
#if defined(__SSE2__)
  const auto between = [](__m128i v, char first, char last) {
    // Signed comparisons: octets from 0x80 are negative and in no range.
    return _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8(static_cast<char>(first - 1))),
                         _mm_cmplt_epi8(v, _mm_set1_epi8(static_cast<char>(last + 1))));
  };
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    const __m128i upper = between(v, 'A', 'Z');
    const __m128i lower = _mm_or_si128(v, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
    const __m128i word = _mm_or_si128(_mm_or_si128(between(lower, 'a', 'z'), between(v, '0', '9')),
                                      _mm_cmpeq_epi8(v, _mm_set1_epi8('_')));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_and_si128(lower, word));
  }
#endif
  for (; i < text.size(); ++i) to[i] = folded_octet(text[i]);
  std::memset(to + i, 0, kEdge);
}

RunPiece best_piece(const Run& run) {
  RunPiece best;
  const std::vector<OctetSet>& places = run.places;
  for (std::size_t i = run.begin == 0 ? 0 : run.begin - 1; i < run.end; ++i) {
    const OctetSet& next = i + 1 < places.size() ? places[i + 1] : everything();
    const double two = likelihood(as_pair_set(places[i])) * likelihood(as_pair_set(next));
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

void FactorIndex::add_piece(const Run& run, const RunPiece& piece, Entry entry) {
  for (std::size_t i = 0; i < kWindowPlaces; ++i) {
    const auto place = static_cast<std::ptrdiff_t>(piece.offset + i) - kWindowBefore;
    const bool known = place >= 0 && place < static_cast<std::ptrdiff_t>(run.places.size());
    entry.around.groups[i] =
        known ? groups_of(run.places[static_cast<std::size_t>(place)]) : ~std::uint32_t{0};
  }
  targets_ = std::max(targets_, entry.target + 1);
  if (piece.four) {
    add_four(run, piece.offset, entry);
  } else {
    add_two(run, piece.offset, entry);
  }
}

void FactorIndex::add(const Run& run, const RunPiece& piece, const Candidate& candidate) {
  const auto offset = static_cast<std::int16_t>(static_cast<std::ptrdiff_t>(candidate.place) -
                                                static_cast<std::ptrdiff_t>(piece.offset));
  add_piece(run, piece, {{}, candidate.target, candidate.leaf, offset, false});
}

bool FactorIndex::add_word(std::string_view word, std::uint32_t target, WordPlace place) {
  if (word.empty()) return false;
  Run run;
  OctetSet outside = everything();
  OctetSet behind = everything();
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
  add_piece(run, piece, {{}, target, static_cast<std::uint32_t>(words_.size()), offset, true});
  words_.push_back({std::string(word), place});
  return true;
}

void FactorIndex::add_four(const Run& run, std::size_t offset, const Entry& entry) {
  std::array<std::vector<unsigned char>, 4> places;
  for (std::size_t k = 0; k < 4; ++k) places[k] = folded_octets(run.places[offset + k]);
  for (const unsigned char a : places[0]) {
    for (const unsigned char b : places[1]) {
      for (const unsigned char c : places[2]) {
        for (const unsigned char d : places[3]) {
          const unsigned char octets[4] = {a, b, c, d};
          std::uint32_t key = 0;
          std::memcpy(&key, octets, sizeof key);
          fours_.push_back({key, entry});
        }
      }
    }
  }
}

void FactorIndex::add_two(const Run& run, std::size_t offset, const Entry& entry) {
  const OctetSet first = as_pair_set(run.places[offset]);
  const OctetSet second = offset + 1 < run.places.size() ? as_pair_set(run.places[offset + 1]) : everything();
  for (unsigned a = 0; a < 256; ++a) {
    if (!first.has(static_cast<unsigned char>(a))) continue;
    for (unsigned b = 0; b < 256; ++b) {
      if (second.has(static_cast<unsigned char>(b))) twos_.push_back({a << 8 | b, entry});
    }
  }
}

void FactorIndex::build() {
  const auto by_key = [](const Keyed& a, const Keyed& b) { return a.key < b.key; };
  const auto each = [&](std::vector<Keyed>& keyed, auto&& take) {
    std::stable_sort(keyed.begin(), keyed.end(), by_key);
    for (std::size_t i = 0; i < keyed.size();) {
      Slot slot{keyed[i].key, static_cast<std::uint32_t>(entries_.size()), 0};
      for (; i < keyed.size() && keyed[i].key == slot.key; ++i) entries_.push_back(keyed[i].entry);
      slot.end = static_cast<std::uint32_t>(entries_.size());
      take(slot);
    }
  };
  std::size_t size = 1024;
  while (size < fours_.size() * 3) size *= 2;
  slots_.assign(size, {});
  four_bits_.assign((std::size_t{1} << kHashBits) / 64, 0);
  each(fours_, [&](const Slot& slot) {
    const std::uint32_t bit = hash(slot.key);
    four_bits_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
    std::size_t at = bit & (size - 1);
    while (slots_[at].end != 0) at = (at + 1) & (size - 1);
    slots_[at] = slot;
  });
  two_bits_.assign(65536 / 64, 0);
  pair_slots_.assign(65536, 0);
  // Pairs with the same targets share them: a class of octets makes many such pairs.
  std::vector<Slot> kept;
  each(twos_, [&](Slot slot) {
    two_bits_[slot.key >> 6] |= std::uint64_t{1} << (slot.key & 63);
    for (std::size_t i = kept.size(); i-- > 0 && kept.size() - i < 64;) {
      const std::uint32_t length = slot.end - slot.begin;
      if (kept[i].end - kept[i].begin != length) continue;
      bool same = true;
      for (std::uint32_t k = 0; same && k < length; ++k) {
        const Entry& a = entries_[kept[i].begin + k];
        const Entry& b = entries_[slot.begin + k];
        same = a.target == b.target && a.index == b.index && a.word == b.word && a.offset == b.offset &&
               a.around.groups == b.around.groups;
      }
      if (!same) continue;
      entries_.resize(slot.begin);
      pair_slots_[slot.key] = static_cast<std::uint16_t>(i);
      return;
    }
    pair_slots_[slot.key] = static_cast<std::uint16_t>(kept.size());
    kept.push_back(slot);
  });
  pairs_ = std::move(kept);
  // What walk() asks is whether there are any.
  for (std::vector<Keyed>* keyed : {&fours_, &twos_}) {
    if (keyed->empty()) continue;
    keyed->resize(1);
    keyed->shrink_to_fit();
  }
}

const FactorIndex::Slot* FactorIndex::slot_of(std::uint32_t key) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash(key) & mask; slots_[at].end != 0; at = (at + 1) & mask) {
    if (slots_[at].key == key) return &slots_[at];
  }
  return nullptr;
}

bool FactorIndex::word_stands(const Entry& entry, std::string_view text, std::ptrdiff_t at) const noexcept {
  const StoredWord& stored = words_[entry.index];
  const std::string_view word = stored.text;
  if (at < 0 || at + static_cast<std::ptrdiff_t>(word.size()) > static_cast<std::ptrdiff_t>(text.size()))
    return false;
  std::size_t i = static_cast<std::size_t>(at);
  if (i != 0 && is_word_octet(text[i - 1])) return false;
  for (const char c : word) {
    if (to_lower(text[i++]) != c) return false;
  }
  while (i < text.size() && is_digit(text[i])) ++i;
  if (i < text.size() && is_word_octet(text[i])) return false;
  if (stored.place == WordPlace::kAnywhere) return true;
  const auto begin = static_cast<std::size_t>(at);
  if (!command_may_begin(text, begin)) return false;
  // A line end beside it ends a command before or behind.
  const auto blank = [](char c) { return is_space(c) && c != '\n' && c != '\r'; };
  return stored.place == WordPlace::kCommand || !std::all_of(text.begin(), text.begin() + at, blank) ||
         !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), blank);
}

}  // namespace wafd::detect
