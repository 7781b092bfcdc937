// Unicode look-alikes of ASCII made ASCII, as databases and best-fit conversions do: full width,
// mathematical, quotes; and ASCII in overlong UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_unicode_fold(std::string_view in) noexcept;
// Compatibility forms that NFKC maps to one ASCII character (full width, mathematical alphanumerics, small
// forms, circled letters, long s, Kelvin), Unicode spaces, and the quotes and brackets that best-fit code
// pages map (U+2018, U+02B9, U+2039, U+3008…); zero-width characters are removed.
bool unicode_fold_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
