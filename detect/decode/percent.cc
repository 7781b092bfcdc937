#include "detect/decode/percent.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstring>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/lazy_copy.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base/utf8_out.h"
#include "detect/decode/plus.h"

namespace wafd::detect {
namespace {

constexpr std::array<std::int8_t, 256> kHex = [] {
  std::array<std::int8_t, 256> values{};
  for (unsigned c = 0; c < 256; ++c) values[c] = static_cast<std::int8_t>(hex_value(static_cast<char>(c)));
  return values;
}();

// Value of %HH at `at`, or negative.
int percent_byte(std::string_view in, std::size_t at) noexcept {
  if (at + 2 >= in.size() || in[at] != '%') return -1;
  return kHex[byte(in[at + 1])] * 16 | kHex[byte(in[at + 2])];
}

constexpr std::array<std::uint16_t, 256> kFlags = [] {
  std::array<std::uint16_t, 256> flags{};
  for (unsigned c = 0; c < 256; ++c)
    flags[c] = static_cast<std::uint16_t>(flags_of_decoded(static_cast<unsigned char>(c)));
  return flags;
}();

// Leads that may begin an overlong sequence.
constexpr bool may_be_overlong(unsigned char lead) noexcept {
  return lead == 0xC0 || lead == 0xC1 || lead == 0xE0 || lead == 0xF0 || lead == 0xF8 || lead == 0xFC;
}

// Value of %uHHHH at `at`, or -1.
int percent_u(std::string_view in, std::size_t at) noexcept {
  if (at + 5 >= in.size() || in[at] != '%' || (in[at + 1] != 'u' && in[at + 1] != 'U')) return -1;
  return hex_number(in, at + 2, 4);
}

struct Overlong {
  std::uint32_t code_point = 0;
  std::size_t bytes = 0;  // 0: not an overlong sequence
};

// An escaped lead byte at `at` whose escaped followers make a code point that needed fewer bytes. Decoders
// that do not look at the two high bits of the second byte accept %c0%2f as well, so that is read too.
Overlong overlong_at(std::string_view in, std::size_t at, unsigned char lead) noexcept {
  static constexpr std::array<std::uint32_t, 7> kLeast{0, 0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000};
  std::size_t count = 0;
  std::uint32_t cp = 0;
  if (lead >= 0xC0 && lead < 0xE0)
    count = 2, cp = lead & 0x1Fu;
  else if (lead >= 0xE0 && lead < 0xF0)
    count = 3, cp = lead & 0x0Fu;
  else if (lead >= 0xF0 && lead < 0xF8)
    count = 4, cp = lead & 0x07u;
  else if (lead >= 0xF8 && lead < 0xFC)
    count = 5, cp = lead & 0x03u;
  else if (lead >= 0xFC && lead < 0xFE)
    count = 6, cp = lead & 0x01u;
  else
    return {};
  for (std::size_t i = 1; i < count; ++i) {
    const int next = percent_byte(in, at + 3 * i);
    if (next < 0) return {};
    const bool follower = (next & 0xC0) == 0x80;
    if (!follower && !(lead <= 0xC1 && next < 0x40)) return {};
    cp = (cp << 6) | (static_cast<std::uint32_t>(next) & 0x3Fu);
  }
  if (cp >= kLeast[count]) return {};
  return {cp, count};
}

// Copies from `at` up to the next percent sign or the end, and returns where that is.
std::size_t copy_to_percent(std::string_view in, std::size_t at, char*& to) noexcept {
#if defined(__SSE2__)
  while (at + 16 <= in.size()) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in.data() + at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('%'))));
    if (found != 0) {
      const auto plain = static_cast<std::size_t>(std::countr_zero(found));
      to += plain;
      return at + plain;
    }
    at += 16;
    to += 16;
  }
#endif
  while (at < in.size() && in[at] != '%') *to++ = in[at++];
  return at;
}

}  // namespace

bool maybe_percent(std::string_view in) noexcept { return in.find('%') != std::string_view::npos; }

bool percent_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  const std::size_t first = in.find('%');
  if (first == std::string_view::npos) return false;
  out.resize(in.size());  // no more is written than was read
  char* to = out.data();
  std::memcpy(to, in.data(), first);
  to += first;
  bool changed = false;
  bool high = false;
  for (std::size_t i = first; i < in.size(); i = copy_to_percent(in, i, to)) {
    while (i < in.size() && in[i] == '%') {
      if (const int value = percent_byte(in, i); value >= 0) {
        const auto c = static_cast<unsigned char>(value);
        changed = true;
        if (may_be_overlong(c)) {
          if (const Overlong found = overlong_at(in, i, c); found.bytes != 0) {
            to = put_utf8(to, found.code_point);
            if (found.code_point == 0) flags |= kNulByte;
            flags |= kOverlongUtf8;
            i += 3 * found.bytes;
            continue;
          }
        }
        high = high || c >= 0x80;
        flags |= kFlags[c];
        *to++ = static_cast<char>(c);
        i += 3;
        if (c == '%' && i + 1 < in.size() &&
            ((hex_value(in[i]) >= 0 && hex_value(in[i + 1]) >= 0) || in[i] == 'u'))
          flags |= kDoubleEncoding;
        continue;
      }
      if (const int unit = percent_u(in, i); unit >= 0) {
        auto cp = static_cast<std::uint32_t>(unit);
        changed = true;
        i += 6;
        if (cp >= 0xD800 && cp < 0xDC00) {
          const int low = percent_u(in, i);
          if (low >= 0xDC00 && low < 0xE000) {
            cp = 0x10000 + ((cp - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
            i += 6;
          }
        }
        if (cp < 0x80) flags |= kFlags[cp];
        to = put_utf8(to, cp);
        flags |= kPercentU;
        continue;
      }
      flags |= kInvalidEscape;
      *to++ = in[i++];
    }
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
  if (!changed) return false;
  if (high) flags |= flags_of_utf8(out);
  return true;
}

namespace {

bool is_stray(std::string_view in, std::size_t at) noexcept {
  return at + 1 < in.size() && !is_space(in[at + 1]) && percent_byte(in, at) < 0 && percent_u(in, at) < 0;
}

}  // namespace

bool maybe_stray_percent(std::string_view in) noexcept {
  for (std::size_t i = in.find('%'); i != std::string_view::npos; i = in.find('%', i + 1)) {
    if (is_stray(in, i)) return true;
  }
  return false;
}

bool stray_percent_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  LazyCopy copy(in, out);
  for (std::size_t i = in.find('%'); i != std::string_view::npos; i = in.find('%', i + 1)) {
    if (is_stray(in, i)) copy.replace(i, i + 1);
  }
  flags |= kInvalidEscape;
  return copy.finish();
}

constexpr ByteFinder kBlanks(" \t\r\n");

bool maybe_form(std::string_view in) noexcept {
  return maybe_percent(in) && in.find('+') != std::string_view::npos && kBlanks.find(in, 0) == in.size();
}

bool form_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  if (!maybe_form(in)) return false;
  std::string spaced;
  return plus_decode(in, spaced, flags) && percent_decode(spaced, out, flags);
}

}  // namespace wafd::detect
