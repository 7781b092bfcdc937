#include "detect/factor_index.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kMaxKeys = 512;  // of one factor

constexpr bool is_word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }
constexpr unsigned char folded_octet(char c) noexcept { return is_word_octet(c) ? octet(to_lower(c)) : 0; }

// The set as folded text has it.
std::vector<unsigned char> folded_octets(const OctetSet& set) {
  std::array<bool, 256> there{};
  there[0] = set.edge;
  for (unsigned c = 0; c < 256; ++c) {
    if (set.has(static_cast<unsigned char>(c))) there[folded_octet(static_cast<char>(c))] = true;
  }
  std::vector<unsigned char> out;
  for (unsigned c = 0; c < 256; ++c) {
    if (there[c]) out.push_back(static_cast<unsigned char>(c));
  }
  return out;
}

double folded_likelihood(const std::vector<unsigned char>& octets) noexcept {
  double sum = 0;
  for (const unsigned char c : octets) {
    if (c == 0) {
      sum += 0.2;
      continue;
    }
    OctetSet one;
    one.add(c);
    if (is_alpha(static_cast<char>(c))) one.add(static_cast<unsigned char>(c - 32));
    sum += likelihood(one);
  }
  return sum;
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

bool FactorIndex::add(const Factor& factor, std::uint32_t target) {
  struct Choice {
    double likely = 1;
    std::size_t offset = 0;
    bool four = false;
  } best;
  const std::vector<OctetSet>& places = factor.octets;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const OctetSet& next = i + 1 < places.size() ? places[i + 1] : everything();
    const double two = likelihood(as_pair_set(places[i])) * likelihood(as_pair_set(next));
    if (two < best.likely) best = {two, i, false};
  }
  for (std::size_t i = 0; i + 4 <= places.size(); ++i) {
    double four = 1;
    std::size_t keys = 1;
    for (std::size_t k = i; k < i + 4 && keys <= kMaxKeys; ++k) {
      const auto octets = folded_octets(places[k]);
      keys *= octets.size();
      four *= folded_likelihood(octets);
    }
    if (keys <= kMaxKeys && four < best.likely) best = {four, i, true};
  }
  targets_ = std::max(targets_, target + 1);
  if (best.likely > 0.9) return false;
  const Entry entry{static_cast<std::uint32_t>(factors_.size()), static_cast<std::int32_t>(best.offset),
                    target};
  factors_.push_back(factor);
  is_word_.push_back(false);
  if (best.four) {
    add_four(factor, best.offset, entry);
  } else {
    add_two(factor, best.offset, entry);
  }
  return true;
}

bool FactorIndex::add_word(std::string_view word, std::uint32_t target) {
  if (word.empty()) return false;
  Factor factor;
  OctetSet outside = everything();
  OctetSet behind = everything();
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    if (!is_word_octet(ch)) continue;
    outside.words[c >> 6] &= ~(std::uint64_t{1} << (c & 63));
    if (!is_digit(ch)) behind.words[c >> 6] &= ~(std::uint64_t{1} << (c & 63));
  }
  factor.octets.push_back(outside);
  for (const char c : word) {
    if (folded_octet(c) != octet(c) || c == 0) return false;
    OctetSet set;
    set.add(octet(c));
    if (is_alpha(c)) set.add(static_cast<unsigned char>(c - 32));
    factor.octets.push_back(set);
  }
  factor.octets.push_back(behind);
  if (!add(factor, target)) return false;
  is_word_.back() = true;
  return true;
}

void FactorIndex::add_four(const Factor& factor, std::size_t offset, const Entry& entry) {
  std::array<std::vector<unsigned char>, 4> places;
  for (std::size_t k = 0; k < 4; ++k) places[k] = folded_octets(factor.octets[offset + k]);
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

void FactorIndex::add_two(const Factor& factor, std::size_t offset, const Entry& entry) {
  const OctetSet first = as_pair_set(factor.octets[offset]);
  const OctetSet second =
      offset + 1 < factor.octets.size() ? as_pair_set(factor.octets[offset + 1]) : everything();
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
        same = a.factor == b.factor && a.offset == b.offset;
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

bool FactorIndex::stands(const Entry& entry, std::string_view text, std::ptrdiff_t at) const noexcept {
  const Factor& factor = factors_[entry.factor];
  if (!factor.stands_at(text, at)) return false;
  if (!is_word_[entry.factor]) return true;
  std::size_t end = static_cast<std::size_t>(at + static_cast<std::ptrdiff_t>(factor.octets.size()) - 1);
  while (end < text.size() && is_digit(text[end])) ++end;
  return end >= text.size() || !is_word_octet(text[end]);
}

}  // namespace wafd::detect
