// NUL bytes removed, as readers do that skip them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_nul(std::string_view in) noexcept;
bool nul_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
