#include "forward/query_sql/trigram_signature.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>

namespace wafd::forward {
namespace {

// A letter's two cases differ in this bit, which is set; some other bytes become the same by it too, which
// costs a comparison and loses nothing.
constexpr unsigned char kCase = 0x20;
// Odd numbers: the bit of three bytes is the upper ten of the sixteen bits of their sum.
constexpr std::uint16_t kFactors[] = {0x9e37, 0x79b9, 0x2c1b};
constexpr unsigned kShift = 6;
static_assert(std::size_t{1} << (16 - kShift) == TrigramSignature::kBits);

constexpr std::uint16_t place_of(const char* bytes) noexcept {
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; ++i) sum += (static_cast<unsigned char>(bytes[i]) | kCase) * kFactors[i];
  return static_cast<std::uint16_t>((sum & 0xffffu) >> kShift);
}

// Of sixteen bytes that are 0 or 1, the first the lowest.
unsigned sixteen_bits(const char* bytes) noexcept {
#if defined(__SSE2__)
  const __m128i ones = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_slli_epi16(ones, 7)));
#else
  unsigned bits = 0;
  for (unsigned i = 0; i < 16; ++i) bits |= static_cast<unsigned>(bytes[i]) << i;
  return bits;
#endif
}

#if defined(__SSE2__)
// The places of the trigrams that begin at the first eight of sixteen bytes.
__m128i eight_places(__m128i bytes) noexcept {
  const auto product = [](__m128i eight, std::uint16_t factor) {
    return _mm_mullo_epi16(_mm_unpacklo_epi8(eight, _mm_setzero_si128()),
                           _mm_set1_epi16(static_cast<short>(factor)));
  };
  const __m128i sum = _mm_add_epi16(
      _mm_add_epi16(product(bytes, kFactors[0]), product(_mm_srli_si128(bytes, 1), kFactors[1])),
      product(_mm_srli_si128(bytes, 2), kFactors[2]));
  return _mm_srli_epi16(sum, kShift);
}

template <unsigned kCount>
void set_places(__m128i places, char* has) noexcept {
  auto four = static_cast<std::uint64_t>(_mm_cvtsi128_si64(places));
  for (unsigned i = 0; i < 4; ++i, four >>= 16) has[four & 0xffffu] = 1;
  four = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(places, places)));
  for (unsigned i = 4; i < kCount; ++i, four >>= 16) has[four & 0xffffu] = 1;
}

// Of sixteen numbers below 16.
__m128i hex_digits(__m128i numbers) noexcept {
  const __m128i letters = _mm_cmpgt_epi8(numbers, _mm_set1_epi8(9));
  const __m128i digits = _mm_add_epi8(numbers, _mm_set1_epi8('0'));
  return _mm_add_epi8(digits, _mm_and_si128(letters, _mm_set1_epi8('a' - '0' - 10)));
}
#endif

}  // namespace

void TrigramSignature::add(std::string_view text) noexcept {
  char* const has = has_.data();
  std::size_t at = 0;
#if defined(__SSE2__)
  for (; at + 16 <= text.size(); at += 8) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    set_places<8>(eight_places(_mm_or_si128(bytes, _mm_set1_epi8(kCase))), has);
  }
  if (text.size() >= 16) {  // the last fourteen, some of them again
    const __m128i end =
        _mm_or_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + text.size() - 16)),
                     _mm_set1_epi8(kCase));
    set_places<8>(eight_places(end), has);
    set_places<6>(eight_places(_mm_srli_si128(end, 8)), has);
    return;
  }
#endif
  for (; at + 3 <= text.size(); ++at) has[place_of(text.data() + at)] = 1;
}

bool TrigramSignature::empty() const noexcept {
  return std::all_of(has_.begin(), has_.end(), [](char bit) { return bit == 0; });
}

void TrigramSignature::append_to(std::string& out) const {
  constexpr std::size_t kWords = kBits / 16;
  std::uint16_t words[kWords];
  for (std::size_t i = 0; i < kWords; ++i)
    words[i] = static_cast<std::uint16_t>(sixteen_bits(has_.data() + 16 * i));
  char text[1 + kBits / 4];
  char* to = text;
  *to++ = 'x';
#if defined(__SSE2__)
  for (std::size_t i = 0; i < kWords; i += 8, to += 32) {  // the lower four bits of each byte come first
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words + i));
    const __m128i lower = _mm_and_si128(bytes, _mm_set1_epi8(15));
    const __m128i upper = _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), hex_digits(_mm_unpacklo_epi8(lower, upper)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16), hex_digits(_mm_unpackhi_epi8(lower, upper)));
  }
#else
  for (const std::uint16_t word : words)
    for (unsigned i = 0; i < 4; ++i) *to++ = "0123456789abcdef"[word >> (4 * i) & 15];
#endif
  out.append(text, sizeof text);
}

std::string TrigramSignature::text() const {
  std::string out;
  append_to(out);
  return out;
}

}  // namespace wafd::forward
