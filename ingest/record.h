// One line of `POST /v1/records`: a JSON object that describes a request (members in README.md).
#pragma once

#include <string_view>

#include "detect/core/error.h"
#include "ingest/owned_request.h"

namespace wafd::ingest {

// `method` and `uri` are required. Unknown members are ignored, so that a shipper's own ones may stay; a
// known member of another type is an error naming it and what was expected.
Result<OwnedRequest> parse_record(std::string_view line);

}  // namespace wafd::ingest
