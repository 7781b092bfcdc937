// Is it text? The test that keeps base64 and hex decoding from inventing values, and the flags of decoded
// bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/bytes.h"
#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

// Well-formed UTF-8 without controls other than TAB, LF, CR; a NUL at the end is allowed. Empty is not text.
bool is_text(std::string_view bytes) noexcept;
// The same with a few controls and NULs in it, as serialised objects have.
bool is_nearly_text(std::string_view bytes) noexcept;
// Whether such a text may begin with these bytes: controls may all stand in them.
bool is_text_begin(std::string_view bytes) noexcept;
// Printable ASCII, TAB, LF, CR only. Empty is not.
bool is_ascii_text(std::string_view bytes) noexcept;
// Hardly text in any encoding: formats for machines have control bytes in every length and tag, text has
// hardly one, and none where it begins like a picture or an archive.
bool looks_binary(std::string_view bytes) noexcept;
// Begins with the header of a tar archive (POSIX.1-2017 pax, ustar interchange format; GNU's): what follows
// are files. Its checksum fits, and it consists of whole blocks, the last of which is empty.
bool is_tar(std::string_view bytes) noexcept;
// A format that is known by its first bytes and that hides code or compressed text.
bool has_known_magic(std::string_view bytes) noexcept;
// kNulByte, kControlByte, kEncodedLineEnd, kEncodedPlain for one byte that an escape produced.
constexpr std::uint32_t flags_of_decoded(unsigned char c) noexcept {
  if (c == 0) return kNulByte;
  if (c == '\r' || c == '\n') return kEncodedLineEnd;
  if ((c < 0x20 && c != '\t') || c == 0x7F) return kControlByte;
  return is_alnum(static_cast<char>(c)) ? std::uint32_t{kEncodedPlain} : 0;
}
// kInvalidUtf8 if there are bytes from 0x80 up that are not well-formed, else 0.
std::uint32_t flags_of_utf8(std::string_view bytes) noexcept;

}  // namespace wafd::detect
