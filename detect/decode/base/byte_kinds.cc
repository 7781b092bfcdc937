#include "detect/decode/base/byte_kinds.h"

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "detect/core/bytes.h"

namespace wafd::detect {
namespace {

constexpr std::array<std::uint16_t, 256> kKindTable = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    const bool digit_of_base64 = is_alnum(ch) || std::string_view("+/=-_").find(ch) != std::string_view::npos;
    std::uint32_t kinds = c >= 0x80 ? kHigh : digit_of_base64 || c <= 0x20 ? 0u : kSign;
    if (c < 0x20) kinds |= kControl;
    if (c == 0) kinds |= kNul;
    if (ch == '%') kinds |= kPercentSign;
    if (ch == '&') kinds |= kAmpersand;
    if (ch == '\\') kinds |= kBackslash;
    if (ch == '+') kinds |= kPlusSign;
    if (ch == '*') kinds |= kStar;
    if (std::string_view("'\"`^${\\").find(ch) != std::string_view::npos && c != 0) kinds |= kQuote;
    table[c] = static_cast<std::uint16_t>(kinds);
  }
  return table;
}();

#if defined(__SSSE3__)

// Sets of bytes each of which is all that some lower halves and some upper halves of bytes make: then two
// tables of 16 entries tell them apart.
struct Rectangle {
  std::uint32_t kinds;
  std::uint16_t lower;  // a bit for each half
  std::uint16_t upper;
};
constexpr Rectangle at(std::uint32_t kinds, char c) {
  return {kinds, static_cast<std::uint16_t>(1u << (byte(c) & 15)),
          static_cast<std::uint16_t>(1u << (byte(c) >> 4))};
}
constexpr Rectangle kRectangles[16] = {
    at(kPercentSign, '%'),
    at(kAmpersand, '&'),
    at(kBackslash | kQuote, '\\'),
    at(kPlusSign, '+'),
    at(kStar, '*'),
    at(kNul, '\0'),
    {kControl, 0xffff, 0x0003},
    {kQuote, 1u << 2 | 1u << 4 | 1u << 7, 1u << 2},  // " $ '
    at(kQuote, '^'),
    at(kQuote, '`'),
    at(kQuote, '{'),
    {kSign, 0x57fe, 1u << 2},             // ! to * , .
    {kSign, 0xdc00, 1u << 3},             // : ; < > ?
    {kSign, 1u << 0, 1u << 4 | 1u << 6},  // @ `
    {kSign, 0x7800, 1u << 5 | 1u << 7},   // [ \ ] ^ { | } ~
    at(kSign, '\x7f'),
};

constexpr bool rectangles_are_kinds() {
  for (unsigned c = 0; c < 0x80; ++c) {
    std::uint32_t kinds = 0;
    for (const Rectangle& r : kRectangles) {
      if ((r.lower >> (c & 15) & 1) != 0 && (r.upper >> (c >> 4) & 1) != 0) kinds |= r.kinds;
    }
    if (kinds != kKindTable[c]) return false;
  }
  return true;
}
static_assert(rectangles_are_kinds());

struct alignas(16) Halves {
  std::array<unsigned char, 16> lower{};
  std::array<unsigned char, 16> upper{};
};
constexpr Halves halves_of(std::size_t first) {
  Halves out;
  for (std::size_t r = 0; r < 8; ++r) {
    for (std::size_t half = 0; half < 16; ++half) {
      const auto bit = static_cast<unsigned char>(1u << r);
      if ((kRectangles[first + r].lower >> half & 1) != 0) out.lower[half] |= bit;
      if ((kRectangles[first + r].upper >> half & 1) != 0) out.upper[half] |= bit;
    }
  }
  return out;
}
constexpr Halves kFirst = halves_of(0);
constexpr Halves kSecond = halves_of(8);

// By eight bits of rectangles: their kinds.
constexpr std::array<std::array<std::uint16_t, 256>, 2> kKindsOfBits = [] {
  std::array<std::array<std::uint16_t, 256>, 2> table{};
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t bits = 0; bits < 256; ++bits) {
      for (std::size_t r = 0; r < 8; ++r) {
        if ((bits >> r & 1) != 0)
          table[half][bits] = static_cast<std::uint16_t>(table[half][bits] | kRectangles[8 * half + r].kinds);
      }
    }
  }
  return table;
}();

// Of all sixteen bytes together.
unsigned any_bits(__m128i v) noexcept {
  v = _mm_or_si128(v, _mm_srli_si128(v, 8));
  v = _mm_or_si128(v, _mm_srli_si128(v, 4));
  v = _mm_or_si128(v, _mm_srli_si128(v, 2));
  v = _mm_or_si128(v, _mm_srli_si128(v, 1));
  return static_cast<unsigned>(_mm_cvtsi128_si32(v)) & 0xffu;
}

__m128i load(const void* from) noexcept { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

// Collects the kinds of a text's bytes, sixteen bytes at a time.
class Seen {
 public:
  // `next`: the bytes one further.
  void add(__m128i v, __m128i next) noexcept {
    const __m128i half = _mm_set1_epi8(15);
    const __m128i high = _mm_and_si128(_mm_srli_epi16(v, 4), half);
    first_ = _mm_or_si128(first_, _mm_and_si128(_mm_shuffle_epi8(load(kFirst.lower.data()), v),
                                                _mm_shuffle_epi8(load(kFirst.upper.data()), high)));
    second_ = _mm_or_si128(second_, _mm_and_si128(_mm_shuffle_epi8(load(kSecond.lower.data()), v),
                                                  _mm_shuffle_epi8(load(kSecond.upper.data()), high)));
    all_ = _mm_or_si128(all_, v);
    const auto is = [](__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const auto small = [](__m128i bytes) { return _mm_or_si128(bytes, _mm_set1_epi8(0x20)); };
    marks_ = _mm_or_si128(marks_, _mm_or_si128(_mm_and_si128(is(v, '0'), is(small(next), 'x')),
                                               _mm_and_si128(is(small(v), 'x'), is(next, '\''))));
  }
  std::uint32_t kinds() const noexcept {
    return kKindsOfBits[0][any_bits(first_)] | kKindsOfBits[1][any_bits(second_)] |
           (_mm_movemask_epi8(all_) != 0 ? std::uint32_t{kHigh} : 0u) |
           (_mm_movemask_epi8(marks_) != 0 ? std::uint32_t{kHexMark} : 0u);
  }

 private:
  __m128i first_ = _mm_setzero_si128();
  __m128i second_ = _mm_setzero_si128();
  __m128i all_ = _mm_setzero_si128();
  __m128i marks_ = _mm_setzero_si128();
};

std::uint32_t kinds_of_many(std::string_view text) noexcept {
  Seen seen;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > 16; left -= 16, at += 16) {
    seen.add(load(at), load(at + 1));
  }
  // The rest with some of what was read before it.
  const __m128i v = load(at + left - 16);
  seen.add(v, _mm_srli_si128(v, 1));
  return seen.kinds();
}

// Of 4 to 15 bytes: its halves, which overlap.
std::uint32_t kinds_of_few(std::string_view text) noexcept {
  std::uint64_t halves[2] = {};
  const std::size_t half = text.size() >= 8 ? 8 : 4;
  std::memcpy(&halves[0], text.data(), half);
  std::memcpy(&halves[1], text.data() + text.size() - half, half);
  if (half == 4) halves[0] = halves[1] = halves[0] | halves[1] << 32;
  Seen seen;
  const __m128i v = load(halves);
  seen.add(v, _mm_srli_si128(v, 1));
  return seen.kinds();
}

#endif

}  // namespace

std::uint32_t kinds_of(std::string_view text) noexcept {
#if defined(__SSSE3__)
  if (text.size() >= 16) return kinds_of_many(text);
  if (text.size() >= 4) return kinds_of_few(text);
#endif
  std::uint32_t kinds = 0;
  char before = '\0';
  for (const char c : text) {
    kinds |= kKindTable[byte(c)];
    if (before == '0' ? to_lower(c) == 'x' : to_lower(before) == 'x' && c == '\'') kinds |= kHexMark;
    before = c;
  }
  return kinds;
}

}  // namespace wafd::detect
