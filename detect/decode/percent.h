// Percent encoding (RFC 3986 section 2.1) as servers read it: %HH, %uHHHH, overlong UTF-8 made canonical.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

bool maybe_percent(std::string_view in) noexcept;
// One layer. Bytes that decoding produced and that form an overlong UTF-8 sequence (two to six bytes)
// become the code point that was meant, in UTF-8; %uHHHH becomes UTF-8, surrogate pairs joined, full-width
// forms left to unicode_fold. Anything else is copied.
bool percent_decode(std::string_view in, std::string& out, std::uint32_t& flags);

// As ASP reads it: a percent sign that begins no escape is dropped (S%EL%ECT).
bool maybe_stray_percent(std::string_view in) noexcept;
bool stray_percent_decode(std::string_view in, std::string& out, std::uint32_t& flags);

// A form's value that was encoded once more: a plus is a space, then %HH. Such a text has no blanks.
bool maybe_form(std::string_view in) noexcept;
bool form_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
