// The files of the page, embedded in the program. Made at build time by console/web/build.mjs.
#pragma once

#include <span>
#include <string_view>

namespace wafd::console {

// Views live as long as the program.
struct Asset {
  std::string_view path;          // "/" (the page), "/assets/app-1a2b3c4d.js": exact request path
  std::string_view content_type;  // "text/html; charset=utf-8"
  std::string_view identity;      // bytes as they are; never empty
  std::string_view gzip;          // empty: not offered
  std::string_view brotli;        // empty: not offered
  std::string_view etag;          // without quotes, changes with the content
  bool immutable = false;         // the name holds a hash: cached for a year
};

std::span<const Asset> assets();  // defined in the generated console_assets.cc

}  // namespace wafd::console
