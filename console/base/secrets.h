// Tokens and digests: what is random, what is stored of it, and comparing without telling by time.
#pragma once

#include <string>
#include <string_view>

#include "detect/core/clock.h"

namespace wafd::console {

std::string sha256_hex(std::string_view bytes);

// 256 random bits as 43 characters of base64url (RFC 4648 section 5, no padding).
std::string make_secret(Random& random);

// `bytes` random bytes in lower-case hex.
std::string make_id(Random& random, std::size_t bytes);

// Takes the same time for any two texts of one length.
bool equal_secret(std::string_view a, std::string_view b) noexcept;

// HMAC-SHA256 (RFC 2104) in hex: who does not have the key can neither make it nor try guesses at `bytes`.
std::string keyed_digest(std::string_view key, std::string_view bytes);

// Entity tag of a text: 16 hex digits, without quotes.
std::string etag_of(std::string_view text);

// Standard base64 with padding (RFC 4648 section 4); nothing if it is malformed.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace wafd::console
