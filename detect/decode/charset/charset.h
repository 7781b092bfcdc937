// Text in encodings whose ASCII is not ASCII made UTF-8: UTF-16, UTF-32, UTF-7, EBCDIC, and ISO-2022 with its
// shifts. Their names are in charsets.tsv.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/decode/base/decode_flags.h"

namespace wafd::detect {

enum class CharsetKind : std::uint8_t { kAsIs, kUtf16, kUtf32, kEbcdic, kIso2022, kUtf7, kUnknown };
enum class ByteOrder : std::uint8_t { kUnknown, kLittle, kBig };

struct Charset {
  CharsetKind kind = CharsetKind::kAsIs;
  ByteOrder order =
      ByteOrder::kUnknown;  // of UTF-16 and UTF-32; unknown: by mark, else by where the NULs are
  std::uint16_t page = 0;   // of EBCDIC: 37, 500, 1047, …

  friend bool operator==(const Charset&, const Charset&) = default;
};

// By the name that a Content-Type gives, in the spellings of the IANA registry, of Java and of Windows. kAsIs
// for encodings that hold ASCII as it is (UTF-8, ISO-8859, Shift_JIS, GBK, …), kUnknown for unknown names.
Charset charset_named(std::string_view name) noexcept;

// The encoding named by an XML declaration at the begin of `text`; empty: none.
std::string_view xml_encoding(std::string_view text) noexcept;

// EBCDIC by its XML declaration, UTF-16 and UTF-32 by their mark, or by the NULs of ASCII characters: in all
// of the first characters (RFC 4627 section 3, XML 1.0 appendix F) and in most of the first hundred. Else
// kAsIs.
Charset sniff_charset(std::string_view bytes) noexcept;

// Replaces `out`, which is at most three times as long as `in`. False if nothing changed. What the encoding
// has no character for becomes U+FFFD.
bool charset_decode(std::string_view in, Charset charset, std::string& out);

// As decode paths have it: "utf16", "utf32", "ebcdic", "iso2022", "utf7"; "" for kAsIs.
std::string_view to_string(CharsetKind kind) noexcept;

// The transformation of values: what sniff_charset() tells.
bool maybe_wide_text(std::string_view in) noexcept;
bool wide_text_decode(std::string_view in, std::string& out, std::uint32_t& flags);

}  // namespace wafd::detect
