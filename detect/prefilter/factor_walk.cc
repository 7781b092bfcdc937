// What a text is asked: where pieces stand, and which entries' windows fit there. Nothing branches on what is
// found at a place before all of a block are known, so that nothing is guessed wrong.
#include <algorithm>
#include <bit>

#include "detect/core/octets.h"
#include "detect/prefilter/command_place.h"
#include "detect/prefilter/factor_index.h"

namespace wafd::detect {
namespace {

constexpr bool is_word_octet(char c) noexcept { return is_alnum(c) || c == '_'; }

}  // namespace

namespace {

// Whether some entry of the slot allows what stands around a piece of `length` places at `octets`.
template <std::size_t Length>
unsigned allows(const std::array<std::uint32_t, 4>& around, const unsigned char* octets) noexcept {
  const auto at = [&](std::size_t i, const unsigned char* octet) {
    return static_cast<unsigned>((around[i] & kGroupBit[*octet]) != 0);
  };
  return at(0, octets - 2) & at(1, octets - 1) & at(2, octets + Length) & at(3, octets + Length + 1);
}

}  // namespace

inline std::size_t FactorIndex::place_fours(const TextLayout& layout, std::size_t from, std::size_t to,
                                            Placed* placed) const noexcept {
  const unsigned char* const folded = layout.folded();
  const unsigned char* const text = layout.octets();
  std::array<std::int32_t, kBlock> places;
  std::size_t count = 0;
  // At hand, and not read again for each place: what is written might be anywhere.
  const std::uint64_t* const bits = four_bits_.words();
  for (std::size_t begin = from; begin < to; begin += TextLayout::kMarks) {
    for (std::uint64_t marks = layout.word_starts(begin / TextLayout::kMarks); marks != 0;
         marks &= marks - 1) {
      const std::size_t at = begin + static_cast<std::size_t>(std::countr_zero(marks));
      places[count] = static_cast<std::int32_t>(at);
      count += RankedBits::has(bits, bit_of(word_key(folded + at)));
    }
  }
  const std::uint32_t* const ranks = four_bits_.ranks();
  const Slot* const slots = four_slots_.data();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::int32_t at = places[k];
    const std::uint32_t key = word_key(folded + at);
    const std::size_t index = RankedBits::rank(bits, ranks, bit_of(key));
    const Slot& slot = slots[index];
    placed[kept] = {static_cast<std::uint32_t>(index), at};
    kept += static_cast<unsigned>((key & slot.mask) == slot.key) & allows<kFour>(slot.around, text + at);
  }
  return kept;
}

inline std::size_t FactorIndex::place_twos(const TextLayout& layout, std::size_t size, std::size_t from,
                                           std::size_t to, Placed* placed) const noexcept {
  const unsigned char* const text = layout.octets();
  std::array<Placed, kBlock> found;
  std::size_t count = 0;
  for (std::size_t begin = from; begin < to; begin += TextLayout::kMarks) {
    for (std::uint64_t marks = layout.pairs(begin / TextLayout::kMarks); marks != 0; marks &= marks - 1) {
      const std::size_t at = begin + static_cast<std::size_t>(std::countr_zero(marks));
      const std::uint16_t slot = pair_slots_.at(text + at);
      found[count] = {slot, static_cast<std::int32_t>(at)};
      count += slot != PairSlots::kNone ? 1 : 0;
    }
  }
  const Slot* const slots = two_slots_.data();
  std::size_t kept = 0;
  const auto consider = [&](const Placed& place) {
    placed[kept] = place;
    kept += allows<2>(slots[place.slot].around, text + place.at);
  };
  for (std::size_t k = 0; k < count; ++k) consider(found[k]);
  const std::uint16_t before = from == 0 ? edge_before_[text[0]] : PairSlots::kNone;
  if (before != PairSlots::kNone) consider({before, -1});
  const std::uint16_t behind = to == size ? edge_behind_[text[size - 1]] : PairSlots::kNone;
  if (behind != PairSlots::kNone) consider({behind, static_cast<std::int32_t>(size - 1)});
  return kept;
}

template <std::size_t Length>
std::size_t FactorIndex::look_around(const std::vector<Slot>& slots, std::span<const Placed> placed,
                                     std::size_t count, FactorScratch& scratch) const {
  // One more: what is written last and not kept.
  const std::size_t room = count + placed.size() * most_entries_ + 1;
  if (scratch.suspects.size() < room) scratch.suspects.resize(room);
  const unsigned char* const text = scratch.layout.octets();
  FactorSuspect* out = scratch.suspects.data() + count;
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

std::size_t FactorIndex::suspect(FactorScratch& scratch, std::size_t size, std::size_t from,
                                 std::size_t to) const {
  std::array<Placed, kBlock + 3> placed;
  std::size_t count = 0;
  if (const std::size_t fours = place_fours(scratch.layout, from, to, placed.data()); fours != 0)
    count = look_around<kFour>(four_slots_, std::span(placed.data(), fours), count, scratch);
  if (const std::size_t twos = place_twos(scratch.layout, size, from, to, placed.data()); twos != 0)
    count = look_around<2>(two_slots_, std::span(placed.data(), twos), count, scratch);
  return count;
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
