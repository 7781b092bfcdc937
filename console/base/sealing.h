// Secrets encrypted for a place that must not know them (AES-256-GCM, NIST SP 800-38D), with keys that stand
// in a file of a line each: the first encrypts, all decrypt, so that keys can be changed one after the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/core/clock.h"
#include "detect/core/error.h"

namespace wafd::console {

class SealingKeys {
 public:
  static constexpr std::size_t kKeyBytes = 32;

  // Lines of 32 bytes in base64; empty ones and spaces around them count for nothing.
  static Result<SealingKeys> parse(std::string_view text);
  static Result<SealingKeys> read(const std::string& path);  // parse() of a file of at most 4 KiB
  // A key as such a line.
  static std::string make(Random& random);

  bool empty() const noexcept { return keys_.empty(); }
  // The first 8 hex digits of the SHA-256 of each, which tell nothing of it.
  std::vector<std::string> ids() const;

  // "v1:KEYID:BASE64" of nonce, text and tag; `place` and `document` (the digest of what is
  // around it) are what open() must be given for it: they are authenticated with it. kMissing: no key.
  Result<std::string> seal(std::string_view text, std::string_view place, Random& random,
                           std::string_view document = {}) const;
  // kMissing: the key that it was encrypted with is none of these; kInvalid: it was changed, or is of another
  // place or document.
  Result<std::string> open(std::string_view sealed, std::string_view place,
                           std::string_view document = {}) const;

 private:
  struct Key {
    std::string id;
    std::string bytes;
  };
  std::vector<Key> keys_;
};

}  // namespace wafd::console
