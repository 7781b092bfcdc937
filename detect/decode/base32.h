// Base32 (RFC 4648 section 6), only where the whole value is it and text comes out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

// At least 16 digits A-Z, 2-7, of a length that an encoder makes, padding optional.
bool maybe_base32(std::string_view in) noexcept;
bool base32_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
