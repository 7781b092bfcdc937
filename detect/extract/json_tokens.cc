#include "detect/extract/json_tokens.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>

#include "detect/core/bytes.h"
#include "detect/decode/base/utf8_out.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kBroken = std::string_view::npos;

bool is_special(char c) noexcept { return c == '"' || c == '\\' || byte(c) < 0x20; }

#if defined(__SSE2__)
// A bit for each of sixteen bytes that does not stand for itself.
unsigned specials(__m128i v) noexcept {
  const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
  const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v);
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control)));
}
#endif

// By the byte behind a backslash; 0: none of these.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}();

// \uHHHH at `at`, two of them for a pair. `at` goes behind it; false: it is broken.
bool put_unicode(std::string_view text, std::size_t& at, char*& to) noexcept {
  const int first = hex_number(text, at + 2, 4);
  if (first < 0 || (first >= 0xDC00 && first < 0xE000)) return false;
  at += 6;
  auto cp = static_cast<std::uint32_t>(first);
  if (first >= 0xD800 && first < 0xDC00) {
    const int second = text.substr(at, 2) == "\\u" ? hex_number(text, at + 2, 4) : -1;
    if (second < 0xDC00 || second >= 0xE000) return false;
    cp = 0x10000 + ((cp - 0xD800) << 10) + (static_cast<std::uint32_t>(second) - 0xDC00);
    at += 6;
  }
  to = put_utf8(to, cp);
  return true;
}

std::size_t digits_end(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

}  // namespace

std::size_t json_plain_end(std::string_view text, std::size_t at) noexcept {
#if defined(__SSE2__)
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    if (const unsigned found = specials(v); found != 0)
      return at + static_cast<std::size_t>(std::countr_zero(found));
  }
#endif
  while (at < text.size() && !is_special(text[at])) ++at;
  return at;
}

JsonString json_unescape(std::string_view text, std::size_t at, char* to) noexcept {
  char* const begin = to;
  while (true) {
#if defined(__SSE2__)
    // No more is written than was read, so that there is room for sixteen wherever sixteen are left.
    while (at + 16 <= text.size()) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
      const unsigned found = specials(v);
      const auto plain = found == 0 ? 16u : static_cast<unsigned>(std::countr_zero(found));
      at += plain;
      to += plain;
      if (found != 0) break;
    }
#endif
    while (at < text.size() && !is_special(text[at])) *to++ = text[at++];
    if (at == text.size()) return {kBroken, 0};
    if (text[at] == '"') return {at, static_cast<std::size_t>(to - begin)};
    if (text[at] != '\\' || at + 1 == text.size()) return {kBroken, 0};
    if (const char meant = kEscapes[byte(text[at + 1])]; meant != '\0') {
      *to++ = meant;
      at += 2;
    } else if (text[at + 1] != 'u' || !put_unicode(text, at, to)) {
      return {kBroken, 0};
    }
  }
}

std::size_t json_number_end(std::string_view text, std::size_t at) noexcept {
  if (at < text.size() && text[at] == '-') ++at;
  if (at == text.size() || !is_digit(text[at])) return kBroken;
  at = text[at] == '0' ? at + 1 : digits_end(text, at);
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = digits_end(text, at + 1);
    if (end == at + 1) return kBroken;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t first = at + 1;
    if (first < text.size() && (text[first] == '+' || text[first] == '-')) ++first;
    const std::size_t end = digits_end(text, first);
    if (end == first) return kBroken;
    at = end;
  }
  return at;
}

}  // namespace wafd::detect
