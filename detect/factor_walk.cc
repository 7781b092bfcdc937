// What a text is asked: where pieces stand, and which entries' windows fit there. Nothing branches on what is
// found at a place before all of a block are known, so that nothing is guessed wrong.
#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "detect/command_place.h"
#include "detect/core/octets.h"
#include "detect/factor_index.h"

namespace wafd::detect {
namespace {

constexpr bool is_word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

}  // namespace

// The text with kOutside around it and nowhere in it, and the same with letters in lower case, digits and '_'
// as they are, anything else 0.
void FactorIndex::lay_out(std::string_view text, FactorScratch& scratch) {
  const std::size_t size = text.size() + 2 * kPad;
  if (scratch.padded.size() < size + 16) {
    scratch.padded.resize(size + 16);
    scratch.folded.resize(size + 16);
  }
  unsigned char* const padded = scratch.padded.data();
  unsigned char* const folded = scratch.folded.data();
  std::memcpy(padded + kPad, text.data(), text.size());
#if defined(__SSE2__)
  const auto between = [](__m128i v, char first, char last) {
    // Signed comparisons: octets from 0x80 are negative and in no range.
    return _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8(static_cast<char>(first - 1))),
                         _mm_cmplt_epi8(v, _mm_set1_epi8(static_cast<char>(last + 1))));
  };
  for (std::size_t i = kPad; i < kPad + text.size(); i += 16) {
    auto* const at = reinterpret_cast<__m128i*>(padded + i);
    const __m128i v = _mm_loadu_si128(at);
    const __m128i upper = between(v, 'A', 'Z');
    const __m128i lower = _mm_or_si128(v, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
    const __m128i word = _mm_or_si128(_mm_or_si128(between(lower, 'a', 'z'), between(v, '0', '9')),
                                      _mm_cmpeq_epi8(v, _mm_set1_epi8('_')));
    _mm_storeu_si128(at, _mm_min_epu8(v, _mm_set1_epi8(static_cast<char>(inside(kOutside)))));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(folded + i), _mm_and_si128(lower, word));
  }
#else
  for (std::size_t i = kPad; i < kPad + text.size(); ++i) {
    const char c = static_cast<char>(padded[i]);
    padded[i] = inside(padded[i]);
    folded[i] = is_word_octet(c) ? octet(to_lower(c)) : 0;
  }
#endif
  for (const std::size_t pad : {std::size_t{0}, kPad + text.size()}) {
    std::memset(padded + pad, kOutside, kPad);
    std::memset(folded + pad, 0, kPad);
  }
}

namespace {

// Whether some entry of the slot allows what stands around a piece of `length` places at `octets`.
template <std::ptrdiff_t Length>
unsigned allows(const std::array<std::uint32_t, 4>& around, const unsigned char* octets) noexcept {
  const auto at = [&](std::size_t i, std::ptrdiff_t place) {
    return static_cast<unsigned>((around[i] & kGroupBit[octets[place]]) != 0);
  };
  return at(0, -2) & at(1, -1) & at(2, Length) & at(3, Length + 1);
}

}  // namespace

std::size_t FactorIndex::place_fours(const FactorScratch& scratch, std::ptrdiff_t from, std::ptrdiff_t to,
                                     Placed* placed) const noexcept {
  const unsigned char* const folded = scratch.folded.data() + kPad;
  const unsigned char* const text = scratch.padded.data() + kPad;
  std::array<std::int32_t, kBlock> places;
  std::size_t count = 0;
  // At hand, and not read again for each place: what is written might be anywhere.
  const std::uint64_t* const bits = four_bits_.words();
  for (std::ptrdiff_t at = from; at < to; ++at) {
    places[count] = static_cast<std::int32_t>(at);
    count += RankedBits::has(bits, bit_of(four_at(folded + at)));
  }
  const std::uint32_t* const ranks = four_bits_.ranks();
  const Slot* const slots = four_slots_.data();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::int32_t at = places[k];
    const std::uint32_t four = four_at(folded + at);
    const std::size_t index = RankedBits::rank(bits, ranks, bit_of(four));
    const Slot& slot = slots[index];
    placed[kept] = {static_cast<std::uint32_t>(index), at};
    kept += static_cast<unsigned>((four & slot.mask) == slot.key) & allows<kFour>(slot.around, text + at);
  }
  return kept;
}

std::size_t FactorIndex::place_twos(const FactorScratch& scratch, std::ptrdiff_t size, std::ptrdiff_t from,
                                    std::ptrdiff_t to, Placed* placed) const noexcept {
  const unsigned char* const text = scratch.padded.data() + kPad;
  std::array<std::int32_t, kBlock> places;
  std::size_t count = 0;
  const std::ptrdiff_t end = std::min(to, size - 1);
  const std::uint64_t* const bits = two_bits_.words();
  for (std::ptrdiff_t at = from; at < end; ++at) {
    places[count] = static_cast<std::int32_t>(at);
    count += RankedBits::has(bits, pair_at(text + at));
  }
  const std::uint32_t* const ranks = two_bits_.ranks();
  const std::uint16_t* const pair_slots = pair_slots_.data();
  const Slot* const slots = two_slots_.data();
  std::size_t kept = 0;
  const auto consider = [&](std::uint32_t key, std::ptrdiff_t at) {
    const std::size_t index = pair_slots[RankedBits::rank(bits, ranks, key)];
    placed[kept] = {static_cast<std::uint32_t>(index), static_cast<std::int32_t>(at)};
    kept += allows<2>(slots[index].around, text + at);
  };
  for (std::size_t k = 0; k < count; ++k) consider(pair_at(text + places[k]), places[k]);
  if (from == 0 && RankedBits::has(bits, kEdgeBefore + text[0])) consider(kEdgeBefore + text[0], -1);
  const std::uint32_t last = kEdgeBehind + text[size - 1];
  if (to == size && RankedBits::has(bits, last)) consider(last, size - 1);
  return kept;
}

template <std::ptrdiff_t Length>
std::size_t FactorIndex::look_around(const std::vector<Slot>& slots, std::span<const Placed> placed,
                                     FactorScratch& scratch) const {
  // One more: what is written last and not kept.
  const std::size_t room = placed.size() * most_entries_ + 1;
  if (scratch.suspects.size() < room) scratch.suspects.resize(room);
  const unsigned char* const text = scratch.padded.data() + kPad;
  FactorSuspect* out = scratch.suspects.data();
  const Entry* const entries = entries_.data();
  for (const Placed& place : placed) {
    const WindowReader window(text + place.at, text + place.at + Length);
    const Slot& slot = slots[place.slot];
    const std::uint32_t end = slot.end;
    for (std::uint32_t i = slot.begin; i < end; ++i) {
      *out = {i, place.at};
      out += window.fits(entries[i].around) ? 1 : 0;
    }
  }
  return static_cast<std::size_t>(out - scratch.suspects.data());
}

std::size_t FactorIndex::suspect_fours(FactorScratch& scratch, std::ptrdiff_t from, std::ptrdiff_t to) const {
  std::array<Placed, kBlock + 1> placed;
  const std::size_t count = place_fours(scratch, from, to, placed.data());
  return count == 0 ? 0 : look_around<kFour>(four_slots_, std::span(placed.data(), count), scratch);
}

std::size_t FactorIndex::suspect_twos(FactorScratch& scratch, std::ptrdiff_t size, std::ptrdiff_t from,
                                      std::ptrdiff_t to) const {
  std::array<Placed, kBlock + 3> placed;
  const std::size_t count = place_twos(scratch, size, from, to, placed.data());
  return count == 0 ? 0 : look_around<2>(two_slots_, std::span(placed.data(), count), scratch);
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
  if (!command_may_begin(text, begin) || !name_may_end(text, i)) return false;
  // A line end beside it ends a command before or behind.
  const auto blank = [](char c) { return is_space(c) && c != '\n' && c != '\r'; };
  return stored.place == WordPlace::kCommand || !std::all_of(text.begin(), text.begin() + at, blank) ||
         !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), blank);
}

}  // namespace wafd::detect
