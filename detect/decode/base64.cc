#include "detect/decode/base64.h"

#include <array>
#include <bit>

#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/decode/base/lazy_copy.h"
#include "detect/decode/base/text_check.h"
#include "detect/decode/charset/charset.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kLeastDigits = 8;      // whole values
constexpr std::size_t kLeastRunDigits = 16;  // inside of other text

constexpr std::array<std::int8_t, 256> make_values() {
  std::array<std::int8_t, 256> values{};
  for (auto& v : values) v = -1;
  for (std::size_t i = 0; i < 26; ++i) {
    values['A' + i] = static_cast<std::int8_t>(i);
    values['a' + i] = static_cast<std::int8_t>(26 + i);
  }
  for (std::size_t i = 0; i < 10; ++i) values['0' + i] = static_cast<std::int8_t>(52 + i);
  values['+'] = values['-'] = 62;
  values['/'] = values['_'] = 63;
  return values;
}
constexpr auto kValues = make_values();

int value_of(char c) noexcept { return kValues[byte(c)]; }

// Digits in order, `spaces_are_plus` for values whose "+" a form turned into a space. False on any other
// byte.
bool decode_digits(std::string_view in, bool spaces_are_plus, std::string& out) {
  out.clear();
  out.reserve(in.size() * 3 / 4 + 3);
  std::uint32_t bits = 0;
  int have = 0;
  std::size_t digits = 0;
  std::size_t i = 0;
  for (; i < in.size(); ++i) {
    const char c = in[i];
    int value = value_of(c);
    if (value < 0) {
      if (c == '\r' || c == '\n' || c == '\t') continue;
      if (c != ' ' || !spaces_are_plus) break;
      value = 62;
    }
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    have += 6;
    ++digits;
    if (have >= 8) {
      have -= 8;
      out.push_back(static_cast<char>((bits >> have) & 0xFF));
    }
  }
  std::size_t padding = 0;
  for (; i < in.size() && in[i] == '='; ++i) ++padding;
  return i == in.size() && padding <= 3 && digits % 4 != 1;
}

// Without the head of a data URL: everything up to ";base64,".
std::string_view without_data_head(std::string_view in) noexcept {
  if (in.empty() || to_lower(in[0]) != 'd' || !istarts_with(in, "data:")) return in;
  const std::size_t at = ifind(in.substr(0, 256), ";base64,");
  return at == std::string_view::npos ? in : in.substr(at + 8);
}

constexpr ByteFinder kDigits("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_");

constexpr ByteFinder kDigitsAndBlanks(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_= \r\n\t");

// Where the next run of at least kLeastRunDigits digits begins from `at` on, or the end of `in`.
std::size_t next_run(std::string_view in, std::size_t at) noexcept {
  while (at + kLeastRunDigits <= in.size()) {
    // Where a run that begins at `at` or behind it cannot have begun.
#if defined(__SSSE3__)
    static_assert(kLeastRunDigits == 16);
    const unsigned others = kDigits.others_of_sixteen(in.data() + at);
    if (others == 0) return at;
    at += static_cast<std::size_t>(std::bit_width(others));
#else
    std::size_t i = at + kLeastRunDigits;
    while (i > at && value_of(in[i - 1]) >= 0) --i;
    if (i == at) return at;
    at = i;
#endif
  }
  return in.size();
}

// Most runs are names and hashes. Printable bytes have no highest bit, which is the highest of the first,
// the fifth and the ninth digit (and others); `at` has as many.
bool may_be_ascii(std::string_view in, std::size_t at) noexcept {
  return ((value_of(in[at]) | value_of(in[at + 4]) | value_of(in[at + 8])) & 32) == 0;
}

// The bytes of the first twelve digits, or of a shorter text's first eight.
struct Head {
  std::array<char, 9> bytes{};
  std::size_t size = 0;  // 0: there are not so many, one behind the other
  std::string_view text() const noexcept { return {bytes.data(), size}; }
};
Head head_of(std::string_view in) noexcept {
  Head head;
  if (in.size() < 8) return head;
  const std::size_t fours = in.size() < 12 ? 2 : 3;
  for (std::size_t i = 0; i < fours; ++i) {
    int bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const int value = value_of(in[4 * i + k]);
      if (value < 0) return head;
      bits = bits << 6 | value;
    }
    head.bytes[3 * i] = static_cast<char>(bits >> 16);
    head.bytes[3 * i + 1] = static_cast<char>(bits >> 8 & 0xff);
    head.bytes[3 * i + 2] = static_cast<char>(bits & 0xff);
  }
  head.size = 3 * fours;
  return head;
}

// Whether what base64_decode() takes may begin with these bytes. Most ids and names end here.
bool may_be_head(const Head& head) noexcept {
  const std::string_view bytes = head.text();
  return is_text_begin(bytes) || has_known_magic(bytes) || bytes[0] == 0 || bytes[1] == 0;
}

}  // namespace

bool base64_bytes(std::string_view in, std::string& out) { return decode_digits(in, false, out); }

bool base64_lenient(std::string_view in, std::string& out) {
  std::string digits;
  for (const char c : in.substr(0, in.find('='))) {
    if (value_of(c) >= 0) digits.push_back(c);
  }
  if (digits.size() % 4 == 1) digits.pop_back();
  return decode_digits(digits, false, out) && !out.empty();
}

bool maybe_base64(std::string_view in) noexcept {
  in = without_data_head(trim(in));
  if (in.size() < kLeastDigits) return false;
  const Head head = head_of(in);
  if (head.size != 0 && !may_be_head(head)) return false;
  const std::string_view begin = in.substr(0, 32);
  return kDigitsAndBlanks.find_other(begin, 0) == begin.size();
}

bool base64_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  in = without_data_head(trim(in));
  return in.size() >= kLeastDigits && decode_digits(in, true, out) &&
         (is_nearly_text(out) || has_known_magic(out) || maybe_wide_text(out));
}

bool maybe_base64_run(std::string_view in) noexcept {
  for (std::size_t at = next_run(in, 0); at < in.size(); at = next_run(in, kDigits.find_other(in, at))) {
    if (may_be_ascii(in, at)) return true;
  }
  return false;
}

bool base64_run_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  LazyCopy copy(in, out);
  std::string text;
  std::size_t end = 0;
  for (std::size_t at = next_run(in, 0); at < in.size(); at = next_run(in, end)) {
    end = kDigits.find_other(in, at + kLeastRunDigits);
    if (!may_be_ascii(in, at)) continue;
    const std::string_view run = in.substr(at, end - at);
    const Head head = head_of(run);
    if (!is_ascii_text(head.text()) || !decode_digits(run, false, text) || !is_ascii_text(text)) continue;
    for (int padding = 0; padding < 2 && end < in.size() && in[end] == '='; ++padding) ++end;
    copy.replace(at, end).append(text);
  }
  return copy.finish();
}

}  // namespace wafd::detect
