#include "detect/decode/percent.h"

#include <array>

#include "detect/core/octets.h"
#include "detect/decode/lazy_copy.h"
#include "detect/decode/text_check.h"
#include "detect/decode/utf8_out.h"

namespace wafd::detect {
namespace {

// Value of %HH at `at`, or -1.
int percent_octet(std::string_view in, std::size_t at) noexcept {
  if (at + 2 >= in.size() || in[at] != '%') return -1;
  const int high = hex_value(in[at + 1]);
  const int low = hex_value(in[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// Value of %uHHHH at `at`, or -1.
int percent_u(std::string_view in, std::size_t at) noexcept {
  if (at + 5 >= in.size() || in[at] != '%' || (in[at + 1] != 'u' && in[at + 1] != 'U')) return -1;
  int value = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_value(in[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

struct Overlong {
  std::uint32_t code_point = 0;
  std::size_t octets = 0;  // 0: not an overlong sequence
};

// An escaped lead octet at `at` whose escaped followers make a code point that needed fewer octets. Decoders
// that do not look at the two high bits of the second octet accept %c0%2f as well, so that is read too.
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
    const int next = percent_octet(in, at + 3 * i);
    if (next < 0) return {};
    const bool follower = (next & 0xC0) == 0x80;
    if (!follower && !(lead <= 0xC1 && next < 0x40)) return {};
    cp = (cp << 6) | (static_cast<std::uint32_t>(next) & 0x3Fu);
  }
  if (cp >= kLeast[count]) return {};
  return {cp, count};
}

}  // namespace

bool maybe_percent(std::string_view in) noexcept { return in.find('%') != std::string_view::npos; }

bool percent_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  LazyCopy copy(in, out);
  bool high = false;
  // Escapes mostly stand one behind the other.
  const auto next = [&](std::size_t from) {
    return from < in.size() && in[from] == '%' ? from : in.find('%', from);
  };
  for (std::size_t i = next(0); i != std::string_view::npos; i = next(i)) {
    if (const int value = percent_octet(in, i); value >= 0) {
      const auto c = static_cast<unsigned char>(value);
      if (c >= 0xC0) {
        if (const Overlong found = overlong_at(in, i, c); found.octets != 0) {
          append_utf8(copy.replace(i, i + 3 * found.octets), found.code_point);
          if (found.code_point == 0) flags |= kNulOctet;
          flags |= kOverlongUtf8;
          i += 3 * found.octets;
          continue;
        }
      }
      high = high || c >= 0x80;
      flags |= flags_of_decoded(c);
      if (c == '%' && i + 4 < in.size() &&
          ((hex_value(in[i + 3]) >= 0 && hex_value(in[i + 4]) >= 0) || in[i + 3] == 'u')) {
        flags |= kDoubleEncoding;
      }
      copy.replace(i, i + 3).push_back(static_cast<char>(c));
      i += 3;
      continue;
    }
    if (const int unit = percent_u(in, i); unit >= 0) {
      auto cp = static_cast<std::uint32_t>(unit);
      const std::size_t begin = i;
      i += 6;
      if (cp >= 0xD800 && cp < 0xDC00) {
        const int low = percent_u(in, i);
        if (low >= 0xDC00 && low < 0xE000) {
          cp = 0x10000 + ((cp - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
          i += 6;
        }
      }
      if (cp < 0x80) flags |= flags_of_decoded(static_cast<unsigned char>(cp));
      append_utf8(copy.replace(begin, i), cp);
      flags |= kPercentU;
      continue;
    }
    flags |= kInvalidEscape;
    ++i;
  }
  if (!copy.finish()) return false;
  if (high) flags |= flags_of_utf8(out);
  return true;
}

}  // namespace wafd::detect
