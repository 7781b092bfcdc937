// Counters of HTTP ingest.
#pragma once

#include <cstdint>

#include "ingest/body_counters.h"

namespace wafd::ingest {

// Of one worker; read by others after a post to its loop.
struct HttpCounters {
  std::uint64_t checks = 0;
  std::uint64_t mirrored = 0;
  BodyCounters bodies;               // of both
  std::uint64_t mirror_dropped = 0;  // the queue was full: answered 204, not judged
  std::uint64_t records_accepted = 0;
  std::uint64_t records_refused = 0;
  std::uint64_t violations = 0;  // refused by the parser on /check and /mirror, judged all the same
  std::uint64_t refused = 0;     // refused by the parser elsewhere: 400, 413, 431, 501, 505
  std::uint64_t bad_check = 0;   // dialect headers missing, doubled or wrong: 400
  std::uint64_t bad_key = 0;     // 401
  std::uint64_t not_found = 0;   // 404, 405
  std::uint64_t bodies_cut = 0;  // beyond max_body_bytes

  // That gateways handed over.
  std::uint64_t requests() const noexcept { return checks + mirrored + records_accepted; }
};

}  // namespace wafd::ingest
