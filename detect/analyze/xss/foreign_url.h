// Addresses of another host.
#pragma once

#include <algorithm>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::detect::xss {

// As browsers resolve it from any page, white space before it passed over (URL standard, 4.4).
inline bool is_foreign(std::string_view url) noexcept {
  url = url.substr(std::min(url.find_first_not_of(" \t\r\n"), url.size()));
  const auto is_slash = [](char c) { return c == '/' || c == '\\'; };
  return (url.size() >= 2 && is_slash(url[0]) && is_slash(url[1])) || istarts_with(url, "http:") ||
         istarts_with(url, "https:");
}

}  // namespace wafd::detect::xss
