#include "detect/decode/base32.h"

#include "detect/core/bytes.h"
#include "detect/decode/base/text_check.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kLeastDigits = 16;

int digit_of(char c) noexcept {
  if (is_upper(c)) return c - 'A';
  return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

std::string_view without_padding(std::string_view in) noexcept {
  if (in.size() % 8 != 0) return in;
  for (int i = 0; i < 6 && !in.empty() && in.back() == '='; ++i) in.remove_suffix(1);
  return in;
}

}  // namespace

bool maybe_base32(std::string_view in) noexcept {
  in = without_padding(in);
  if (in.size() < kLeastDigits) return false;
  const std::size_t rest = in.size() % 8;
  if (rest == 1 || rest == 3 || rest == 6) return false;
  for (const char c : in) {
    if (digit_of(c) < 0) return false;
  }
  return true;
}

bool base32_decode(std::string_view in, std::string& out, std::uint32_t& /*flags*/) {
  if (!maybe_base32(in)) return false;
  out.clear();
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : without_padding(in)) {
    bits = (bits << 5) | static_cast<std::uint32_t>(digit_of(c));
    have += 5;
    if (have < 8) continue;
    have -= 8;
    out.push_back(static_cast<char>((bits >> have) & 0xFF));
  }
  return is_text(out);
}

}  // namespace wafd::detect
