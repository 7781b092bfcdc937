// CSS escapes (CSS Syntax 3, 4.3.7): backslash, one to six hex digits, one optional white space.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_css_escape(std::string_view in) noexcept;
// Also removes CSS comments, which old browsers ignored inside of words.
bool css_escape_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
