#include "ingest/waiting_request.h"

namespace wafd::ingest {

Arrival arrival_of(const Request& request, const void* connection, std::int64_t turn_start_us,
                   const FairQueue& queue, const Clock& clock, const IngestLimits& limits) {
  const std::string_view address = request.connection.src_ip;
  Arrival out;
  out.source = address.empty() ? queue.source_of_connection(connection) : queue.source_of(address);
  out.turn = clock.monotonic_us() - turn_start_us > limits.budget_us ? Turn::kLate : Turn::kTime;
  out.bytes = request.head.size() + (out.turn == Turn::kLate ? 0 : request.body.size());
  out.bare = request.body.empty();
  out.arrived_us = turn_start_us;
  return out;
}

}  // namespace wafd::ingest
