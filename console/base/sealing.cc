#include "console/base/sealing.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "console/base/secrets.h"
#include "detect/core/bytes.h"
#include "detect/core/free_with.h"
#include "files/small_file.h"

namespace wafd::console {
namespace {

constexpr std::string_view kVersion = "v1:";
constexpr std::size_t kKeyIdDigits = 8;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeWith<EVP_CIPHER_CTX_free>>;

const unsigned char* bytes_of(std::string_view text) noexcept {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string random_bytes(Random& random, std::size_t count) {
  std::string out(count, '\0');
  random.fill(std::as_writable_bytes(std::span(out)));
  return out;
}

std::string in_base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(bytes),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

// The associated data.
std::string known_of(std::string_view place, std::string_view document) {
  return fmt::format("{}\n{}", place, document);
}

}  // namespace

std::string SealingKeys::make(Random& random) { return in_base64(random_bytes(random, kKeyBytes)); }

Result<SealingKeys> SealingKeys::read(const std::string& path) {
  constexpr std::size_t kMaxFileBytes = 4096;
  const auto text = read_file(path, kMaxFileBytes);
  return text ? parse(*text) : Result<SealingKeys>(tl::unexpected(text.error()));
}

Result<SealingKeys> SealingKeys::parse(std::string_view text) {
  SealingKeys out;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view given = trim_space(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (given.empty()) continue;
    Key key;
    if (!decode_base64(given, key.bytes) || key.bytes.size() != kKeyBytes)
      return fail(ErrorCode::kInvalid, fmt::format("line {}: expected {} bytes in base64", line, kKeyBytes));
    key.id = sha256_hex(key.bytes).substr(0, kKeyIdDigits);
    out.keys_.push_back(std::move(key));
  }
  if (out.keys_.empty()) return fail(ErrorCode::kInvalid, "expected a key, 32 bytes in base64");
  return out;
}

std::vector<std::string> SealingKeys::ids() const {
  std::vector<std::string> out;
  out.reserve(keys_.size());
  for (const Key& key : keys_) out.push_back(key.id);
  return out;
}

Result<std::string> SealingKeys::seal(std::string_view text, std::string_view place, Random& random,
                                      std::string_view document) const {
  if (keys_.empty()) return fail(ErrorCode::kMissing, fmt::format("{}: there is no key", place));
  const Key& key = keys_.front();
  const std::string nonce = random_bytes(random, kNonceBytes);
  const std::string known = known_of(place, document);
  std::string body(text.size(), '\0');
  std::array<unsigned char, kTagBytes> tag{};
  const Cipher cipher(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX* const to = cipher.get();
  int length = 0;
  const bool good =
      to != nullptr &&
      EVP_EncryptInit_ex(to, EVP_aes_256_gcm(), nullptr, bytes_of(key.bytes), bytes_of(nonce)) == 1 &&
      EVP_EncryptUpdate(to, nullptr, &length, bytes_of(known), static_cast<int>(known.size())) == 1 &&
      EVP_EncryptUpdate(to, reinterpret_cast<unsigned char*>(body.data()), &length, bytes_of(text),
                        static_cast<int>(text.size())) == 1 &&
      EVP_EncryptFinal_ex(to, tag.data(), &length) == 1 &&
      EVP_CIPHER_CTX_ctrl(to, EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1;
  if (!good) return fail(ErrorCode::kInternal, fmt::format("{}: the secret cannot be encrypted", place));
  const std::string_view tail(reinterpret_cast<const char*>(tag.data()), tag.size());
  return fmt::format("{}{}:{}", kVersion, key.id, in_base64(nonce + body + std::string(tail)));
}

Result<std::string> SealingKeys::open(std::string_view sealed, std::string_view place,
                                      std::string_view document) const {
  const auto broken = [&] {
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: the encrypted secret, or the document around it, was changed", place));
  };
  std::string bytes;
  if (!sealed.starts_with(kVersion)) return broken();
  sealed.remove_prefix(kVersion.size());
  if (sealed.size() < kKeyIdDigits + 1 || sealed[kKeyIdDigits] != ':') return broken();
  const std::string_view id = sealed.substr(0, kKeyIdDigits);
  if (hex_number(id, 0, kKeyIdDigits - 1) < 0 || hex_value(id.back()) < 0) return broken();
  const std::string_view coded = sealed.substr(kKeyIdDigits + 1);
  if (!decode_base64(coded, bytes) || bytes.size() < kNonceBytes + kTagBytes || in_base64(bytes) != coded)
    return broken();
  const auto key = std::find_if(keys_.begin(), keys_.end(), [&](const Key& one) { return one.id == id; });
  if (key == keys_.end())
    return fail(ErrorCode::kMissing, fmt::format("{}: the secret is encrypted with the key {}", place, id));
  const std::string_view nonce = std::string_view(bytes).substr(0, kNonceBytes);
  const std::string_view body =
      std::string_view(bytes).substr(kNonceBytes, bytes.size() - kNonceBytes - kTagBytes);
  std::string tag = bytes.substr(bytes.size() - kTagBytes);
  std::string out(body.size(), '\0');
  const std::string known = known_of(place, document);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX* const from = cipher.get();
  int length = 0;
  unsigned char none = 0;
  const bool good =
      from != nullptr &&
      EVP_DecryptInit_ex(from, EVP_aes_256_gcm(), nullptr, bytes_of(key->bytes), bytes_of(nonce)) == 1 &&
      EVP_DecryptUpdate(from, nullptr, &length, bytes_of(known), static_cast<int>(known.size())) == 1 &&
      EVP_DecryptUpdate(from, reinterpret_cast<unsigned char*>(out.data()), &length, bytes_of(body),
                        static_cast<int>(body.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(from, EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1 &&
      EVP_DecryptFinal_ex(from, &none, &length) == 1;
  if (!good) return broken();
  return out;
}

}  // namespace wafd::console
