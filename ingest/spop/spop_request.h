// From the messages of a NOTIFY frame to the request that they describe. Argument names are those of
// coraza-spoa's published configuration, and two of ours; ingest/spop/SPOP.md has them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ingest/limits.h"
#include "ingest/owned_request.h"
#include "ingest/spop/spop.h"

namespace wafd::ingest::spop {

struct Notified {
  bool has_request = false;  // a message with the argument `path`; the first such counts
  OwnedRequest request;
  std::string id;                           // what the gateway calls it
  std::uint64_t others = 0;                 // messages that describe no request, or one more
  bool head_cut = false, body_cut = false;  // by the limits, or because the payload was cut
};

// A whole payload, or with `cut` the beginning of one that was too long: then the list may end anywhere.
// `peer_frame_bytes` is the largest frame that HAProxy offered: what it buffers of a request is about that.
// A body without a length that fills the most of it may have gone on, and is flagged as cut.
tl::expected<Notified, Malformed> read_notify(std::string_view payload, bool cut,
                                              std::uint64_t peer_frame_bytes, const IngestLimits& limits);

}  // namespace wafd::ingest::spop
