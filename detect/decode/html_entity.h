// HTML character references (HTML standard, 13.2.5.72 on): named, decimal, hexadecimal, also without
// semicolon.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_html_entity(std::string_view in) noexcept;
// One layer. Named references: those that stand for ASCII, and the common Latin-1 and typographic ones.
// Numbers may have leading zeros; the C1 range is read as windows-1252, as browsers do.
bool html_entity_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
