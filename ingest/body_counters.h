// Whether a listener's gateways hand bodies over at all: what tells a gateway that never does.
#pragma once

#include <cstdint>

#include "detect/core/request.h"

namespace wafd::ingest {

// Of one worker and protocol; read by others after a post to its loop.
struct BodyCounters {
  std::uint64_t seen = 0;     // requests with a body, or a part of one
  std::uint64_t missing = 0;  // requests that had one of which nothing was handed over

  void count(const Request& request) noexcept {
    if (!request.body.empty()) ++seen;
    if (request.body_abandoned) ++missing;
  }
  void add(const BodyCounters& other) noexcept {
    seen += other.seen;
    missing += other.missing;
  }
};

}  // namespace wafd::ingest
