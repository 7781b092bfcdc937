// Quoted-printable (RFC 2045 section 6.7): =HH for a byte, = at the end of a line for none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

// Only for content that says it is this: elsewhere "=27" is what people write.
bool maybe_quoted_printable(std::string_view in) noexcept;
bool quoted_printable_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
