// Addresses of another host.
#pragma once

#include <algorithm>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::detect::xss {

// As browsers resolve it from any page, white space before it passed over (URL standard, 4.4).
inline bool is_foreign(std::string_view url) noexcept {
  url = url.substr(std::min(url.find_first_not_of(" \t\r\n"), url.size()));
  return url.starts_with("//") || url.starts_with("\\\\") || istarts_with(url, "http:") ||
         istarts_with(url, "https:");
}

}  // namespace wafd::detect::xss
