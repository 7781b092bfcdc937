#include "detect/decode/charset/utf7.h"

#include <array>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/lazy_copy.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/base/utf8_out.h"

namespace wafd::detect {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr ByteFinder kDigits(kAlphabet);
constexpr std::array<std::int8_t, 256> kValues = []() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) values[byte(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}();
int digit_of(char c) noexcept { return kValues[byte(c)]; }

// Whether a run has whole units and zeros behind them: most words are told by their length alone.
bool is_whole(std::string_view digits) noexcept {
  const std::size_t rest = digits.size() * 6 % 16;
  if (digits.size() < 3 || rest >= 6) return false;
  return (static_cast<unsigned>(digit_of(digits.back())) & ((1u << rest) - 1)) == 0;
}

// Appends the characters of a run of digits; false and unchanged unless every unit is whole and at least one
// is ASCII.
bool append_run(std::string_view digits, std::string& out) {
  if (!is_whole(digits)) return false;
  const std::size_t before = out.size();
  std::uint32_t bits = 0;
  int have = 0;
  std::uint32_t high = 0;
  bool ascii = false;
  for (const char c : digits) {
    bits = (bits << 6) | static_cast<std::uint32_t>(digit_of(c));
    have += 6;
    if (have < 16) continue;
    have -= 16;
    const std::uint32_t unit = (bits >> have) & 0xFFFF;
    bits &= (1u << have) - 1;
    if (high != 0) {
      if (unit < 0xDC00 || unit > 0xDFFF) return out.resize(before), false;
      append_utf8(out, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
      high = 0;
    } else if (unit >= 0xD800 && unit < 0xDC00) {
      high = unit;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      return out.resize(before), false;
    } else {
      ascii = ascii || unit < 0x80;
      append_utf8(out, unit);
    }
  }
  if (!ascii || high != 0) return out.resize(before), false;
  return true;
}

}  // namespace

bool maybe_utf7(std::string_view in) noexcept {
  for (std::size_t i = in.find('+'); i != std::string_view::npos; i = in.find('+', i + 1)) {
    if (i + 3 < in.size() && digit_of(in[i + 1]) >= 0 && digit_of(in[i + 2]) >= 0 && digit_of(in[i + 3]) >= 0)
      return true;
  }
  return false;
}

bool utf7_decode(std::string_view in, std::string& out, std::uint32_t& flags) {
  LazyCopy copy(in, out);
  std::string text;
  for (std::size_t i = in.find('+'); i != std::string_view::npos; i = in.find('+', i)) {
    std::size_t end = kDigits.find_other(in, i + 1);
    text.clear();
    if (append_run(in.substr(i + 1, end - i - 1), text)) {
      flags |= kEncodedPlain;
      if (end < in.size() && in[end] == '-') ++end;
      copy.replace(i, end).append(text);
    }
    i = end;
  }
  return copy.finish();
}

}  // namespace wafd::detect
