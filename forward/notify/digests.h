// Signatures and codings that messages need.
#pragma once

#include <string>
#include <string_view>

namespace wafd::forward {

std::string sha256(std::string_view bytes);                             // 32 bytes (FIPS 180-4)
std::string hmac_sha256(std::string_view key, std::string_view bytes);  // 32 bytes (RFC 2104)
std::string base64(std::string_view bytes);                             // RFC 4648 section 4
// Whatever is not unreserved (RFC 3986 section 2.3) as %XX.
std::string percent_encoded(std::string_view bytes);

}  // namespace wafd::forward
