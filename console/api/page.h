// The page and its files: routes over the embedded table, content negotiation (RFC 9110 sections 12.5.3
// and 13.1.2).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "console/api/routing/route.h"
#include "console/base/assets.h"

namespace wafd::console {

// Public GET routes, one for each asset.
std::vector<Route> page_routes(std::span<const Asset> assets);

// Which coding of the asset suits an Accept-Encoding header: "br", "gzip" or "" (identity).
std::string_view choose_coding(const Asset& asset, std::string_view accept_encoding);

}  // namespace wafd::console
