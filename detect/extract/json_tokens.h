// The strings and numbers of JSON (RFC 8259), as one walk finds them.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

// End of a string's literal characters: the position of the first quote, backslash or control from `at` on,
// or the end.
std::size_t json_plain_end(std::string_view text, std::size_t at) noexcept;

struct JsonString {
  std::size_t end = 0;   // of what stands between the quotes; `npos`: it is broken, or has no end
  std::size_t size = 0;  // bytes written
};
// `at` is behind the opening quote. Writes what the string stands for to `to`, which has room for all of
// `text` from `at` on. Broken are controls, unknown escapes, and halves of surrogate pairs; bytes that are
// no UTF-8 stay.
JsonString json_unescape(std::string_view text, std::size_t at, char* to) noexcept;

// Position behind the number that begins at `at`, or npos if there is none.
std::size_t json_number_end(std::string_view text, std::size_t at) noexcept;

}  // namespace wafd::detect
