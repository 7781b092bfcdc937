#include "detect/prefilter/text_layout.h"

#include <algorithm>
#include <cstring>

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

namespace wafd::detect {
namespace {

// Of up to 64 octets in a row, a bit for each: the letters, and members of the sets of pairs.
struct Seen {
  std::uint64_t letters = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t word_first = 0;
  std::uint64_t word_second = 0;
};

#if defined(__SSSE3__)

constexpr std::size_t kTogether = 16;  // octets that are looked at at once

__m128i load(const std::array<unsigned char, 16>& octets) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(octets.data()));
}
std::uint64_t bits(__m128i mask) noexcept { return static_cast<std::uint32_t>(_mm_movemask_epi8(mask)); }

// Folds octets, leaves no kOutside among them, and adds what they are to `seen`, with `bit` for the first
// one.
inline void look(unsigned char* octets, unsigned char* folded, const PairMarks& pairs, std::size_t bit,
                 Seen& seen) noexcept {
  const __m128i v = _mm_min_epu8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(octets)),
                                 _mm_set1_epi8(static_cast<char>(inside(kOutside))));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(octets), v);
  const __m128i high_half = _mm_and_si128(_mm_srli_epi16(v, 4), _mm_set1_epi8(0x0f));

  // The comparison is of signed numbers, so letters are moved to the lowest ones.
  const __m128i lower = _mm_or_si128(v, _mm_set1_epi8(0x20));
  const __m128i letters =
      _mm_cmplt_epi8(_mm_sub_epi8(lower, _mm_set1_epi8('a' - 0x80)), _mm_set1_epi8(26 - 0x80));
  const __m128i kinds = _mm_shuffle_epi8(load(kFoldedKinds), high_half);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(folded),
                   _mm_or_si128(_mm_and_si128(letters, lower), _mm_andnot_si128(letters, kinds)));
  seen.letters |= bits(letters) << bit;

  // A shuffle gives 0 where the octet's highest bit is set.
  const __m128i low = _mm_and_si128(v, _mm_set1_epi8(static_cast<char>(0x8f)));
  const __m128i high = _mm_xor_si128(low, _mm_set1_epi8(static_cast<char>(0x80)));
  const __m128i powers = _mm_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m128i half = _mm_shuffle_epi8(powers, high_half);
  const auto members = [&](const PairMarks::Set& set) {
    const __m128i row =
        _mm_or_si128(_mm_shuffle_epi8(load(set.low), low), _mm_shuffle_epi8(load(set.high), high));
    return bits(_mm_cmpeq_epi8(_mm_and_si128(row, half), half));
  };
  seen.first |= members(pairs.first) << bit;
  seen.second |= members(pairs.second) << bit;
  seen.word_first |= members(pairs.word_first) << bit;
  seen.word_second |= members(pairs.word_second) << bit;
}

#else

constexpr std::size_t kTogether = 1;

inline void look(unsigned char* octets, unsigned char* folded, const PairMarks& pairs, std::size_t bit,
                 Seen& seen) noexcept {
  const unsigned char octet = *octets = inside(*octets);
  *folded = folded_octet(octet);
  const auto members = [&](const PairMarks::Set& set) {
    return std::uint64_t{((octet < 0x80 ? set.low : set.high)[octet & 15] >> (octet >> 4 & 7) & 1) != 0};
  };
  seen.letters |= std::uint64_t{(*folded & kFoldedLetter) != 0} << bit;
  seen.first |= members(pairs.first) << bit;
  seen.second |= members(pairs.second) << bit;
  seen.word_first |= members(pairs.word_first) << bit;
  seen.word_second |= members(pairs.word_second) << bit;
}

#endif

PairMarks::Set set_of(const OctetSet& octets) noexcept {
  PairMarks::Set out;
  octets.each([&](unsigned char octet) {
    auto& rows = octet < 0x80 ? out.low : out.high;
    rows[octet & 15] = static_cast<unsigned char>(rows[octet & 15] | 1u << (octet >> 4 & 7));
  });
  return out;
}

}  // namespace

PairMarks::PairMarks(const PairOctets& pairs) noexcept
    : first(set_of(pairs.first)),
      second(set_of(pairs.second)),
      word_first(set_of(pairs.word_first)),
      word_second(set_of(pairs.word_second)) {}

void TextLayout::begin(std::string_view text, const PairMarks& pairs) {
  const std::size_t size = text.size();
  if (const std::size_t room = size + 2 * kPad + kTogether; octets_.size() < room) {
    octets_.resize(room);
    folded_.resize(room);
    marks_.resize(size / kMarks + 1);
  }
  unsigned char* const octets = octets_.data() + kPad;
  unsigned char* const folded = folded_.data() + kPad;
  std::memcpy(octets, text.data(), size);
  std::uint64_t letter_before = 0;
  std::uint64_t word_before = 0;
  Marks* marks = marks_.data();
  for (std::size_t begin = 0; begin < size; begin += kMarks, ++marks) {
    const std::size_t count = std::min(kMarks, size - begin);
    Seen seen;
    for (std::size_t i = 0; i < count; i += kTogether)
      look(octets + begin + i, folded + begin + i, pairs, i, seen);
    const std::uint64_t those_inside = ~std::uint64_t{0} >> (kMarks - count);
    marks->word_starts = seen.letters & ~(seen.letters << 1 | letter_before) & those_inside;
    marks->pairs = (seen.first | seen.second >> 1 | (seen.word_first & seen.word_second >> 1)) & those_inside;
    if (begin != 0) marks[-1].pairs |= (seen.second | (seen.word_second & word_before)) << (kMarks - 1);
    letter_before = seen.letters >> (kMarks - 1);
    word_before = seen.word_first >> (kMarks - 1);
  }
  std::memset(octets - kPad, kOutside, kPad);
  std::memset(octets + size, kOutside, kPad);
  std::memset(folded - kPad, kFoldedOther, kPad);
  std::memset(folded + size, kFoldedOther, kPad);
}

}  // namespace wafd::detect
