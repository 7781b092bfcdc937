// base64url without padding (RFC 4648 section 5), as JOSE writes it (RFC 7515 section 2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wafd::console {

std::string base64url(std::string_view bytes);
// Nothing for padding, other characters, and lengths that no bytes have.
std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace wafd::console
