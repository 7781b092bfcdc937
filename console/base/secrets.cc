#include "console/base/secrets.h"

#include <array>
#include <span>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "detect/core/bytes.h"

namespace wafd::console {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string keyed_digest(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data(), &size);
  return to_hex(std::string_view(reinterpret_cast<const char*>(digest.data()), size));
}

std::string make_secret(Random& random) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<std::byte, 32> bytes{};
  random.fill(bytes);
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const std::byte value : bytes) {
    bits = (bits << 8) | std::to_integer<std::uint32_t>(value);
    for (held += 8; held >= 6; held -= 6) out += kAlphabet[(bits >> (held - 6)) & 63u];
  }
  out += kAlphabet[(bits << (6 - held)) & 63u];
  return out;
}

std::string make_id(Random& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  random.fill(bytes);
  return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

bool equal_secret(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string etag_of(std::string_view text) { return sha256_hex(text).substr(0, 16); }

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  if (text.size() % 4 != 0) return false;
  std::uint32_t bits = 0;
  int held = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    int value = -1;
    if (is_upper(c))
      value = c - 'A';
    else if (is_lower(c))
      value = c - 'a' + 26;
    else if (is_digit(c))
      value = c - '0' + 52;
    else if (c == '+')
      value = 62;
    else if (c == '/')
      value = 63;
    else if (c == '=' && ++padding <= 2)
      continue;
    if (value < 0 || padding > 0) return false;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out.push_back(static_cast<char>((bits >> held) & 0xffu));
    }
  }
  return true;
}

}  // namespace wafd::console
