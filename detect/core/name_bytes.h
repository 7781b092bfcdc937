// The bytes that names have in nearly every language: letters, digits and the underscore, of ASCII alone.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd {

inline constexpr auto kNameBytes = []() {
  std::array<bool, 256> all{};
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = is_alnum(static_cast<char>(c)) || c == '_';
  return all;
}();
constexpr bool is_name_byte(char c) noexcept { return kNameBytes[byte(c)]; }

// Behind the name that begins at text[at].
constexpr std::size_t behind_name(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_name_byte(text[at])) ++at;
  return at;
}

// Behind the word of a name that begins at name[at]: postCode, post_code and post.code have two, URL one.
// `part` says of a byte whether words have it.
template <class Part>
constexpr std::size_t behind_word(std::string_view name, std::size_t at, Part part) noexcept {
  const std::size_t begin = at;
  while (at < name.size() && part(name[at]) && (at == begin || !is_upper(name[at]) || is_upper(name[at - 1])))
    ++at;
  return at;
}

}  // namespace wafd
