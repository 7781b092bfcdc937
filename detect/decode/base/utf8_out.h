// Appending code points as UTF-8: shared by the transformations that name characters by number.
#pragma once

#include <cstdint>
#include <string>

namespace wafd::detect {

// Writes at most four bytes and returns the place behind them. Surrogates and numbers beyond U+10FFFF become
// U+FFFD.
inline char* put_utf8(char* to, std::uint32_t cp) noexcept {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if ((cp >= 0xD800 && cp <= 0xDFFF) || cp > 0x10FFFF) cp = 0xFFFD;
  if (cp < 0x80) {
    put(cp);
  } else if (cp < 0x800) {
    put(0xC0 | (cp >> 6));
    put(0x80 | (cp & 0x3F));
  } else if (cp < 0x10000) {
    put(0xE0 | (cp >> 12));
    put(0x80 | ((cp >> 6) & 0x3F));
    put(0x80 | (cp & 0x3F));
  } else {
    put(0xF0 | (cp >> 18));
    put(0x80 | ((cp >> 12) & 0x3F));
    put(0x80 | ((cp >> 6) & 0x3F));
    put(0x80 | (cp & 0x3F));
  }
  return to;
}

inline void append_utf8(std::string& out, std::uint32_t cp) {
  char bytes[4];
  out.append(bytes, static_cast<std::size_t>(put_utf8(bytes, cp) - bytes));
}

}  // namespace wafd::detect
