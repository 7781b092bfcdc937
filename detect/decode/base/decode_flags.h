// Anomalies met while decoding: evidence for analysers and rules, never a verdict by themselves.
#pragma once

#include <cstdint>

namespace wafd::detect {

// The signature of every decoder of this folder:
//   bool maybe_x(std::string_view in)                    cheap pretest; false: x_decode would change nothing
//   bool x_decode(std::string_view in, std::string& out, std::uint32_t& flags)
// true: `out` was replaced by the decoded bytes, which differ from `in`. false: nothing to decode, `out` is
// unspecified. `flags` gets DecodeFlag bits added. `in` must not point into `out`. Time is linear in `in`;
// `out` is at most as long as `in` unless the header says otherwise. Broken escapes stay as they are and set
// kInvalidEscape.
enum DecodeFlag : std::uint32_t {
  kInvalidEscape = 1u << 0,   // an escape that is cut short or not one: "%zz", "\u00"
  kOverlongUtf8 = 1u << 1,    // %c0%af and the like: a code point written with more bytes than it needs
  kInvalidUtf8 = 1u << 2,     // bytes at or above 0x80, made by decoding, that are not UTF-8
  kPercentU = 1u << 3,        // %uHHHH
  kNulByte = 1u << 4,         // NUL came out of decoding, or stood there
  kDoubleEncoding = 1u << 5,  // decoding produced another escape of the same kind: "%2527"
  kEncodedPlain = 1u << 6,    // letters or digits were escaped, which no encoder needs to do: "%61"
  kControlByte = 1u << 7,     // a control other than TAB, CR, LF came out of decoding
  kEncodedLineEnd = 1u << 8,  // CR or LF came out of decoding
  kFullWidth = 1u << 9,       // look-alikes of ASCII (full width, mathematical) were folded
  kMixedEscapes = 1u << 10,   // escapes of one family in different spellings: \x41 beside \u0042
  kBesideMarkup = 1u << 11,   // HTML references were decoded in a text that had tags of its own
};

}  // namespace wafd::detect
