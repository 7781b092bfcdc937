// Helpers on bytes that every folder needs: ASCII without locale, hex, splitting. Views in, views or values
// out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wafd {

constexpr unsigned char byte(char c) noexcept { return static_cast<unsigned char>(c); }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_alpha(char c) noexcept { return is_lower(c) || is_upper(c); }
constexpr bool is_alnum(char c) noexcept { return is_alpha(c) || is_digit(c); }
constexpr bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr char to_lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c + 32) : c; }

// 0..15, or -1 if `c` is no hex digit.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The value of the `count` hex digits at `at`, at most seven; -1 if they are not all there.
constexpr int hex_number(std::string_view text, std::size_t at, std::size_t count) noexcept {
  if (at > text.size() || text.size() - at < count) return -1;
  int number = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    const int digit = hex_value(text[i]);
    if (digit < 0) return -1;
    number = number * 16 + digit;
  }
  return number;
}

std::string to_hex(std::string_view bytes);   // lower case, two digits a byte
std::string to_lower(std::string_view text);  // ASCII letters only

// ASCII letters compare without case; other bytes as they are.
bool iequals_of_one_size(const char* a, const char* b, std::size_t size) noexcept;
inline bool iequals(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && iequals_of_one_size(a.data(), b.data(), a.size());
}
bool istarts_with(std::string_view text, std::string_view prefix) noexcept;
// Position of `needle` in `text` without ASCII case, or npos. O(n*m) for the short needles it is meant for.
std::size_t ifind(std::string_view text, std::string_view needle, std::size_t from = 0) noexcept;

// The first byte from `at` on that is no space, or the end.
constexpr std::size_t skip_space(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Without leading and trailing SP and HTAB (OWS, RFC 9110 section 5.6.3).
std::string_view trim(std::string_view text) noexcept;
// The same of all that is_space().
std::string_view trim_space(std::string_view text) noexcept;

// Length in bytes of the well-formed UTF-8 sequence that begins at `text[at]` (RFC 3629: no overlong form,
// no surrogate, at most U+10FFFF), or 0 if there is none. `code_point` is set when the result is not 0.
std::size_t utf8_sequence(std::string_view text, std::size_t at, std::uint32_t& code_point) noexcept;

}  // namespace wafd
