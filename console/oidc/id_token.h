// ID tokens (OpenID Connect Core 1.0, section 2): a JWS in compact form (RFC 7515) whose claims say who
// logged in. What is checked: section 3.1.3.7.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "console/oidc/jwk.h"
#include "detect/core/error.h"

namespace wafd::console {

// Clocks of provider and node may differ by this much.
inline constexpr std::int64_t kClockSkewS = 60;
inline constexpr std::size_t kMaxIdTokenBytes = 64u << 10;
inline constexpr std::size_t kMaxSubjectBytes = 255;

struct IdToken {
  SignatureAlgorithm algorithm = SignatureAlgorithm::kRs256;
  std::string kid;  // empty: not said
  std::string signed_bytes;
  std::string signature;
  boost::json::object claims;  // not to be believed before check_signature()
};

// Refuses other algorithms than RS256 and ES256, `none` among them, and what the header marks as critical.
Result<IdToken> parse_id_token(std::string_view compact);

// kUnknown: none of the keys is meant, so that it may be worth reading them again. kDenied: it is not good.
Result<void> check_signature(const IdToken& token, std::span<const Jwk> keys);

struct IdTokenExpectations {
  std::string issuer;
  std::string client_id;
  std::string nonce;
  std::int64_t now_s = 0;
};
// kDenied, in words for people.
Result<void> check_claims(const boost::json::object& claims, const IdTokenExpectations& expected);

}  // namespace wafd::console
