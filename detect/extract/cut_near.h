// Where a part of a text that would begin at some byte begins better.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect {

// Behind a line end or a space at most `reach` bytes before `at`, if there is one; else `at`. `at` must be
// at least `reach` and lie in the text.
inline std::size_t cut_near(std::string_view text, std::size_t at, std::size_t reach) noexcept {
  const std::size_t nearest = at - reach;
  const std::string_view near = text.substr(nearest, reach);
  for (const char c : {'\n', ' '}) {
    const std::size_t found = near.rfind(c);
    if (found != std::string_view::npos) return nearest + found + 1;
  }
  return at;
}

}  // namespace wafd::detect
