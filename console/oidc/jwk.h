// The keys of a provider (RFC 7517) and what is signed with them: RS256 and ES256 (RFC 7518) alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"

namespace wafd::console {

enum class SignatureAlgorithm : std::uint8_t { kRs256, kEs256 };

// A public key; of RSA `a` is the modulus and `b` the exponent, of P-256 they are the coordinates.
// Big-endian.
struct Jwk {
  std::string kid;  // may be empty
  SignatureAlgorithm algorithm = SignatureAlgorithm::kRs256;
  std::string a, b;
};

inline constexpr std::size_t kMaxKeys = 64;
inline constexpr std::size_t kMinRsaBytes = 256;  // 2048 bits
inline constexpr std::size_t kMaxRsaBytes = 1024;

// Of a JWK Set those that may sign, by one of the two algorithms; all others, weak ones too, are passed over.
Result<std::vector<Jwk>> parse_jwks(std::string_view text);

// `signature` as JOSE has it: of ES256 two numbers of 32 bytes (RFC 7518 section 3.4).
bool signature_is_good(const Jwk& key, std::string_view signed_bytes, std::string_view signature);

}  // namespace wafd::console
