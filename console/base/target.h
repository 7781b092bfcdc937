// Reads the target of a request to the console: path segments and query parameters, tricks refused (RFC 9112
// section 3.2, RFC 3986 section 3).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/error.h"

namespace wafd::console {

inline constexpr std::size_t kMaxTargetBytes = 8192;
inline constexpr std::size_t kMaxQueryParameters = 32;

struct Target {
  std::string path;                                             // decoded, begins with '/'
  std::vector<std::string> segments;                            // "/a/b" -> {"a","b"}; "/" -> {}
  std::vector<std::pair<std::string, std::string>> parameters;  // decoded ('+' is a space), in order

  // Where a parameter begins that was given before; operations refuse it, the page takes the first.
  std::optional<std::size_t> repeated;

  // Origin form only. Refused, with the offset: an encoded dot, slash, backslash or control byte in the
  // path, `.` and `..` segments, `//`, a broken percent escape, invalid UTF-8.
  static Result<Target> parse(std::string_view text);

  // The first of that name.
  std::optional<std::string_view> parameter(std::string_view name) const noexcept;
};

}  // namespace wafd::console
