// UTF-7 (RFC 2152): +ADw- is "<". Browsers of old sniffed it; filters before them did not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_utf7(std::string_view in) noexcept;
// Only runs that decode to at least one ASCII byte are replaced, so that "1+1-2" and base64 stay. `out` is
// at most 2 x `in`.
bool utf7_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
