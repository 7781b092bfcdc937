// The bytes that names have in nearly every language: letters, digits and the underscore, of ASCII alone.
#pragma once

#include <string_view>

#include "detect/core/bytes.h"

namespace wafd {

constexpr bool is_name_byte(char c) noexcept { return is_alnum(c) || c == '_'; }

// Behind the name that begins at text[at].
constexpr std::size_t behind_name(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_name_byte(text[at])) ++at;
  return at;
}

}  // namespace wafd
