// Events of all nodes, read from a database: what the ring's search is for one. For a thread that may wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/attack_event.h"
#include "forward/io/postgres/connection.h"
#include "forward/query/event_query.h"

namespace wafd::forward {

// Those that match and whose time lies in [from_ms, to_ms).
struct FleetFilter {
  EventQuery query;
  std::optional<std::int64_t> from_ms, to_ms;
};

// An event's place in the order of lists: newest first, and of one time by id.
struct FleetPlace {
  std::int64_t time_ms = 0;
  EventId id;
};

struct FleetEvent {
  FleetPlace place;
  std::string node;
  std::string record;  // the 58 members, in their order
  std::string detail;  // of find(); empty: none
  std::optional<int> status;
  std::optional<std::uint64_t> response_size;  // none: no report
};

struct FleetBucket {
  std::int64_t from_ms = 0;
  std::uint64_t deny = 0, monitor = 0, allow = 0;
};

// The role needs SELECT on wafd_events alone; a replica is as good as the primary. `connection` outlives it.
class FleetEvents {
 public:
  explicit FleetEvents(PgConnection& connection) : connection_(connection) {}

  // Sets how the session behaves: it cannot write, and no statement takes longer than the connection waits.
  PgResult<void> begin();
  // Newest first, behind `before`.
  PgResult<std::vector<FleetEvent>> list(const FleetFilter& filter, std::size_t limit,
                                         const std::optional<FleetPlace>& before = {});
  PgResult<std::optional<FleetEvent>> find(const EventId& id);
  // Buckets in which there is something, the oldest first. `filter` has both times.
  PgResult<std::vector<FleetBucket>> histogram(const FleetFilter& filter, std::int64_t bucket_ms);
  // The most frequent values of a field of top_fields(), with how often they are there.
  PgResult<std::vector<std::pair<std::string, std::uint64_t>>> top(const FleetFilter& filter,
                                                                   std::string_view field, std::size_t limit);
  static std::vector<std::string_view> top_fields();

 private:
  PgConnection& connection_;
};

}  // namespace wafd::forward
