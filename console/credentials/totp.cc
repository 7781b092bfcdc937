#include "console/credentials/totp.h"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "console/base/secrets.h"
#include "detect/core/bytes.h"

namespace wafd::console {
namespace {

constexpr std::size_t kSha1Bytes = 20;

// RFC 3986 section 2.3: whatever is not unreserved is escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~')
      out += c;
    else
      out += fmt::format("%{:02X}", byte(c));
  }
  return out;
}

}  // namespace

std::string hotp(std::string_view key, std::uint64_t counter, int digits) {
  std::array<unsigned char, 8> message{};
  for (std::size_t i = 0; i < message.size(); ++i)
    message[i] = static_cast<unsigned char>(counter >> (8 * (7 - i)));
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned int size = 0;
  if (HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()), message.data(), message.size(), mac.data(),
           &size) == nullptr ||
      size != kSha1Bytes)
    return {};
  // Section 5.3: dynamic truncation.
  const std::size_t offset = mac[kSha1Bytes - 1] & 0x0fu;
  const std::uint32_t number = (std::uint32_t{mac[offset]} & 0x7fu) << 24 |
                               std::uint32_t{mac[offset + 1]} << 16 | std::uint32_t{mac[offset + 2]} << 8 |
                               std::uint32_t{mac[offset + 3]};
  std::uint32_t modulus = 1;
  for (int i = 0; i < digits; ++i) modulus *= 10;
  return fmt::format("{:0{}}", number % modulus, digits);
}

std::optional<std::int64_t> totp_step(std::string_view key, std::string_view code, std::int64_t now_ms,
                                      std::int64_t last_step) {
  const std::int64_t now = now_ms / kTotpStepMs;
  std::optional<std::int64_t> found;
  for (std::int64_t step = now - kTotpSkew; step <= now + kTotpSkew; ++step) {
    if (step < 0) continue;
    const std::string expected = hotp(key, static_cast<std::uint64_t>(step));
    const bool same = !expected.empty() && equal_secret(expected, code);
    if (same && step > last_step) found = step;
  }
  return found;
}

std::string base32(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : bytes) {
    bits = bits << 8 | byte(c);
    held += 8;
    while (held >= 5) {
      held -= 5;
      out += kAlphabet[bits >> held & 31u];
    }
  }
  if (held > 0) out += kAlphabet[bits << (5 - held) & 31u];
  return out;
}

std::string otpauth_uri(std::string_view issuer, std::string_view account, std::string_view key) {
  return fmt::format("otpauth://totp/{}:{}?secret={}&issuer={}&algorithm=SHA1&digits=6&period=30",
                     escaped(issuer), escaped(account), base32(key), escaped(issuer));
}

}  // namespace wafd::console
