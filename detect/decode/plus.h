// Plus signs as spaces (application/x-www-form-urlencoded). To be undone before percent_decode, as forms are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_plus(std::string_view in) noexcept;
bool plus_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
