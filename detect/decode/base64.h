// Base64 and base64url (RFC 4648), only where the result means something: text, or a format known by its
// magic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

// Digits of the standard alphabet, and padding.
inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

// Whole value: trimmed, both alphabets, padding optional, line ends skipped, a "data:…;base64," head skipped.
// At least 8 digits. True only if the bytes are text (well-formed UTF-8, hardly any controls; UTF-16) or
// begin with a known magic (gzip, zlib, Java and .NET serialised objects, ZIP, PDF, PNG, GIF, JPEG, ELF, MZ,
// PHP and shebang are text).
bool maybe_base64(std::string_view in) noexcept;
bool base64_decode(std::string_view in, std::string& out, std::uint32_t& flags);

// Runs inside of other text: each run of at least 16 digits whose bytes are printable text replaces itself.
// Words of prose and paths do not decode to text, so they are left as they are.
bool maybe_base64_run(std::string_view in) noexcept;
bool base64_run_decode(std::string_view in, std::string& out, std::uint32_t& flags);

// Plain decoding for readers that know what they hold: `in` is digits of either alphabet, perhaps padding.
// False if not.
bool base64_bytes(std::string_view in, std::string& out);
// As readers of mail do (RFC 2045 section 6.8): bytes that are no digits are skipped, up to the padding.
bool base64_lenient(std::string_view in, std::string& out);

}  // namespace wafd::detect
