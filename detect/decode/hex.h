// Hexadecimal text: 0x… literals, x'…', and values that are one long run of digits; only where text
// comes out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_hex_mark(std::string_view in) noexcept;    // a literal
bool maybe_hex_digits(std::string_view in) noexcept;  // one run; such a text has no literal
inline bool maybe_hex(std::string_view in) noexcept { return maybe_hex_mark(in) || maybe_hex_digits(in); }
// A literal is replaced where it stands if its bytes are printable text of at least 2; a bare run must be
// the whole value, of even length, at least 16 digits.
bool hex_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
