// The request id that a gateway gives its requests, out of the headers that it hands over.
#pragma once

#include <algorithm>
#include <string_view>

#include "detect/core/bytes.h"

namespace wafd::ingest {

// Of `headers` (pairs of a name and a value) the one X-Request-Id. A gateway that sets it leaves none of the
// client's beside it, so of several none is taken. A view of `headers`; empty: no id.
template <class Headers>
std::string_view gateway_request_id(const Headers& headers) {
  const auto is_id = [](const auto& header) { return iequals(header.first, "x-request-id"); };
  const auto found = std::find_if(headers.begin(), headers.end(), is_id);
  if (found == headers.end() || std::find_if(found + 1, headers.end(), is_id) != headers.end()) return {};
  return found->second;
}

}  // namespace wafd::ingest
