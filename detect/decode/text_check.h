// Is it text? The test that keeps base64 and hex decoding from inventing values, and the flags of decoded
// octets.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/octets.h"
#include "detect/decode/decode_flags.h"

namespace wafd::detect {

// Well-formed UTF-8 without controls other than TAB, LF, CR; a NUL at the end is allowed. Empty is not text.
bool is_text(std::string_view octets) noexcept;
// The same with a few controls and NULs in it, as serialised objects have.
bool is_nearly_text(std::string_view octets) noexcept;
// Whether such a text may begin with these bytes: controls may all stand in them.
bool is_text_begin(std::string_view octets) noexcept;
// Printable ASCII, TAB, LF, CR only. Empty is not.
bool is_ascii_text(std::string_view octets) noexcept;
// Hardly text in any encoding: formats for machines have control bytes in every length and tag, text has
// hardly one, and none where it begins like a picture or an archive.
bool looks_binary(std::string_view octets) noexcept;
// Begins with the header of a tar archive (POSIX.1-2017 pax, ustar interchange format; GNU's): what follows
// are files.
bool is_tar(std::string_view octets) noexcept;
// A format that is known by its first octets and that hides code or compressed text.
bool has_known_magic(std::string_view octets) noexcept;
// kNulOctet, kControlOctet, kEncodedLineEnd, kEncodedPlain for one octet that an escape produced.
constexpr std::uint32_t flags_of_decoded(unsigned char c) noexcept {
  if (c == 0) return kNulOctet;
  if (c == '\r' || c == '\n') return kEncodedLineEnd;
  if ((c < 0x20 && c != '\t') || c == 0x7F) return kControlOctet;
  return is_alnum(static_cast<char>(c)) ? std::uint32_t{kEncodedPlain} : 0;
}
// kInvalidUtf8 if there are octets from 0x80 up that are not well-formed, else 0.
std::uint32_t flags_of_utf8(std::string_view octets) noexcept;

}  // namespace wafd::detect
