#include "detect/octet_kinds.h"

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

#include <array>

#include "detect/core/octets.h"

namespace wafd::detect {
namespace {

constexpr std::array<std::uint16_t, 256> kKinds = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    const bool digit_of_base64 = is_alnum(ch) || std::string_view("+/=-_").find(ch) != std::string_view::npos;
    std::uint32_t kinds = c >= 0x80 ? kHigh : digit_of_base64 ? 0u : kSign;
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

// Sets of octets each of which is all that some lower halves and some upper halves of octets make: then two
// tables of 16 entries tell them apart.
struct Rectangle {
  std::uint32_t kinds;
  std::uint16_t lower;  // a bit for each half
  std::uint16_t upper;
};
constexpr Rectangle at(std::uint32_t kinds, char c) {
  return {kinds, static_cast<std::uint16_t>(1u << (octet(c) & 15)),
          static_cast<std::uint16_t>(1u << (octet(c) >> 4))};
}
constexpr Rectangle kRectangles[16] = {
    at(kPercentSign, '%'),
    at(kAmpersand, '&'),
    at(kBackslash | kQuote, '\\'),
    at(kPlusSign, '+'),
    at(kStar, '*'),
    at(kNul, '\0'),
    {kControl | kSign, 0xffff, 0x0003},
    {kQuote, 1u << 2 | 1u << 4 | 1u << 7, 1u << 2},  // " $ '
    at(kQuote, '^'),
    at(kQuote, '`'),
    at(kQuote, '{'),
    {kSign, 0x57ff, 1u << 2},             // space to * , .
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
    if (kinds != kKinds[c]) return false;
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

// Of all sixteen octets together.
unsigned any_bits(__m128i v) noexcept {
  v = _mm_or_si128(v, _mm_srli_si128(v, 8));
  v = _mm_or_si128(v, _mm_srli_si128(v, 4));
  v = _mm_or_si128(v, _mm_srli_si128(v, 2));
  v = _mm_or_si128(v, _mm_srli_si128(v, 1));
  return static_cast<unsigned>(_mm_cvtsi128_si32(v)) & 0xffu;
}

std::uint32_t kinds_of_many(std::string_view text) noexcept {
  const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i lower_1 = load(kFirst.lower.data());
  const __m128i upper_1 = load(kFirst.upper.data());
  const __m128i lower_2 = load(kSecond.lower.data());
  const __m128i upper_2 = load(kSecond.upper.data());
  const __m128i half = _mm_set1_epi8(15);
  __m128i first = _mm_setzero_si128();
  __m128i second = first;
  __m128i all = first;
  for (std::size_t i = 0;; i += 16) {
    const bool last = i + 16 >= text.size();
    const __m128i v = load(text.data() + (last ? text.size() - 16 : i));
    const __m128i high = _mm_and_si128(_mm_srli_epi16(v, 4), half);
    first = _mm_or_si128(first, _mm_and_si128(_mm_shuffle_epi8(lower_1, v), _mm_shuffle_epi8(upper_1, high)));
    second =
        _mm_or_si128(second, _mm_and_si128(_mm_shuffle_epi8(lower_2, v), _mm_shuffle_epi8(upper_2, high)));
    all = _mm_or_si128(all, v);
    if (last) break;
  }
  return kKindsOfBits[0][any_bits(first)] | kKindsOfBits[1][any_bits(second)] |
         (_mm_movemask_epi8(all) != 0 ? std::uint32_t{kHigh} : 0u);
}

#endif

}  // namespace

std::uint32_t kinds_of(std::string_view text) noexcept {
#if defined(__SSSE3__)
  if (text.size() >= 16) return kinds_of_many(text);
#endif
  std::uint32_t kinds = 0;
  for (const char c : text) kinds |= kKinds[octet(c)];
  return kinds;
}

}  // namespace wafd::detect
