// JavaScript string escapes (ECMA-262, 12.9.4): \xHH, \uHHHH, \u{…}, octal, \n and the like, line
// continuation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

// A backslash that is followed by something a script would read as an escape.
bool maybe_js_escape(std::string_view in) noexcept;
// Applied to the whole text, inside and outside of quotes. A backslash before another character is dropped,
// as in a string literal; \b and \f become a space, \0 NUL.
bool js_escape_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
