#include "console/credentials/second_factor.h"

#include <algorithm>
#include <array>
#include <span>

#include "console/base/secrets.h"
#include "console/credentials/totp.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

constexpr std::size_t kRecoveryBytes = 15;  // 24 characters, of which the first 12 are the code
constexpr std::size_t kRecoveryCharacters = 12;
constexpr std::size_t kMaxCodeBytes = 64;

std::string from_hex(std::string_view hex) {
  std::string out;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return out;
}

// As typed from paper.
std::string letters_and_digits(std::string_view code) {
  std::string out;
  for (const char c : code.substr(0, kMaxCodeBytes))
    if (is_alnum(c)) out += to_lower(c);
  return out;
}

}  // namespace

std::string begin_factor(SecondFactor& factor, Random& random) {
  factor.pending = make_id(random, kTotpSecretBytes);
  return from_hex(factor.pending);
}

bool confirm_factor(SecondFactor& factor, std::string_view code, std::int64_t now_ms) {
  if (factor.pending.empty()) return false;
  const auto step = totp_step(from_hex(factor.pending), letters_and_digits(code), now_ms, 0);
  if (!step) return false;
  factor.secret = std::move(factor.pending);
  factor.pending.clear();
  factor.last_step = *step;
  return true;
}

CodeUse use_code(SecondFactor& factor, std::string_view code, std::int64_t now_ms) {
  if (!factor.on()) return CodeUse::kRefused;
  const std::string typed = letters_and_digits(code);
  if (const auto step = totp_step(from_hex(factor.secret), typed, now_ms, factor.last_step)) {
    factor.last_step = *step;
    return CodeUse::kCode;
  }
  const auto found = std::find(factor.recovery.begin(), factor.recovery.end(), sha256_hex(typed));
  if (found == factor.recovery.end()) return CodeUse::kRefused;
  factor.recovery.erase(found);
  return CodeUse::kRecovery;
}

std::vector<std::string> new_recovery_codes(SecondFactor& factor, Random& random) {
  std::vector<std::string> codes;
  factor.recovery.clear();
  for (std::size_t i = 0; i < kRecoveryCodes; ++i) {
    std::array<std::byte, kRecoveryBytes> bytes{};
    random.fill(std::span(bytes));
    const std::string text =
        letters_and_digits(base32({reinterpret_cast<const char*>(bytes.data()), bytes.size()}))
            .substr(0, kRecoveryCharacters);
    factor.recovery.push_back(sha256_hex(text));
    codes.push_back(text.substr(0, 4) + '-' + text.substr(4, 4) + '-' + text.substr(8));
  }
  return codes;
}

}  // namespace wafd::console
