// From a CheckRequest of Envoy's ext_authz to the request that it describes, and from the answer to a
// CheckResponse. ingest/envoy/authorization.proto has the messages. They are read here and not by generated
// code, because that refuses what has to be judged: text that is not UTF-8 (a body in a `string` field), and
// a message of which only the beginning is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingest/judge.h"
#include "ingest/limits.h"
#include "ingest/owned_request.h"

namespace wafd::ingest::envoy {

struct Checked {
  OwnedRequest request;
  bool head_cut = false, body_cut = false;  // by the limits, or because the message was cut
};

// Nothing: this is no CheckRequest with an HTTP request in it. `cut`: the message is the beginning of one
// that was too long.
std::optional<Checked> read_check(std::string_view message, bool cut, const IngestLimits& limits);

// Denied: status, headers and body for the client. Else: headers for the application, which replace what a
// client wrote there.
std::string check_response(const Answer& answer);

}  // namespace wafd::ingest::envoy
