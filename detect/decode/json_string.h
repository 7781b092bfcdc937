// JSON string escapes (RFC 8259 section 7) of a text that is not known to be inside of a JSON string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_json_string(std::string_view in) noexcept;
// \uHHHH with surrogate pairs, \" \\ \/ \b \f \n \r \t; every other backslash stays.
bool json_string_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
