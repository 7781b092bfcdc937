#include "detect/decode/hex.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/lazy_copy.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/charset/charset.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kLeastBareDigits = 16;

constexpr ByteFinder kHexDigits("0123456789abcdefABCDEF");

std::size_t hex_run(std::string_view in, std::size_t at) noexcept {
  return kHexDigits.find_other(in, at) - at;
}

// Appends the bytes of an even number of digits; false and unchanged if they are not printable text.
bool append_text(std::string_view digits, std::string& out) {
  const std::size_t before = out.size();
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    out.push_back(static_cast<char>(hex_value(digits[i]) * 16 + hex_value(digits[i + 1])));
  }
  const std::string_view bytes = std::string_view(out).substr(before);
  if (is_ascii_text(bytes)) return true;
  // UTF-16 with zero bytes, as a database keeps NVARCHAR.
  std::string narrow;
  std::uint32_t flags = 0;
  const bool wide = wide_text_decode(bytes, narrow, flags) && is_ascii_text(narrow);
  out.resize(before);
  if (wide) out += narrow;
  return wide;
}

// The first 0x or x' from `at` on, or npos.
std::size_t find_mark(std::string_view in, std::size_t at) noexcept {
#if defined(__SSE2__)
  for (; at + 17 <= in.size(); at += 16) {
    const auto load = [&](std::size_t i) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(in.data() + i));
    };
    const auto is = [](__m128i v, char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
    const __m128i first = load(at);
    const __m128i second = load(at + 1);
    const __m128i small = _mm_set1_epi8(0x20);
    const __m128i zero_x = _mm_and_si128(is(first, '0'), is(_mm_or_si128(second, small), 'x'));
    const __m128i quoted = _mm_and_si128(is(_mm_or_si128(first, small), 'x'), is(second, '\''));
    if (const int bits = _mm_movemask_epi8(_mm_or_si128(zero_x, quoted)); bits != 0)
      return at + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(bits)));
  }
#endif
  for (; at + 1 < in.size(); ++at) {
    if (in[at] == '0' ? to_lower(in[at + 1]) == 'x' : to_lower(in[at]) == 'x' && in[at + 1] == '\'')
      return at;
  }
  return std::string_view::npos;
}

}  // namespace

bool maybe_hex_digits(std::string_view in) noexcept {
  return in.size() >= kLeastBareDigits && in.size() % 2 == 0 && hex_run(in, 0) == in.size();
}

bool maybe_hex_mark(std::string_view in) noexcept {
  for (std::size_t i = find_mark(in, 0); i != std::string_view::npos; i = find_mark(in, i + 1)) {
    if (i + 4 < in.size() && hex_value(in[i + 2]) >= 0) return true;
  }
  return false;
}

bool hex_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  out.clear();
  if (maybe_hex_digits(in)) return append_text(in, out);
  LazyCopy copy(in, out);
  std::string text;
  for (std::size_t i = find_mark(in, 0); i != std::string_view::npos; i = find_mark(in, i + 1)) {
    const bool quoted = in[i + 1] == '\'';
    if (i != 0 && is_alnum(in[i - 1])) continue;
    const std::size_t digits = hex_run(in, i + 2);
    const std::size_t end = i + 2 + digits;
    const bool closed = !quoted || (end < in.size() && in[end] == '\'');
    text.clear();
    if (digits >= 4 && digits % 2 == 0 && closed && append_text(in.substr(i + 2, digits), text))
      copy.replace(i, quoted ? end + 1 : end).append(text);
    i = end - 1;  // the digits are not looked at again, so that the walk stays linear
  }
  return copy.finish();
}

}  // namespace wafd::detect
