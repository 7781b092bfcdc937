// Events of all nodes, read from a database: what the ring's search is for one. For a thread that may wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forward/io/postgres/connection.h"
#include "forward/io/postgres/fleet_filter.h"

namespace wafd::forward {

struct FleetEvent {
  FleetPlace place;
  std::string node;       // as its target calls it
  std::uint64_t seq = 0;  // in that node's ring
  std::string record;     // the 58 members, in their order
  std::string detail;     // of find(); empty: none
  std::optional<int> status;
  std::optional<std::uint64_t> response_size;  // none: no report
  std::int64_t stored_us = 0;                  // when, by the clock of the database; 0: not known
};

struct FleetBucket {
  std::int64_t from_ms = 0;
  std::uint64_t deny = 0, monitor = 0, allow = 0;
};

struct FleetValue {
  std::string value;
  std::uint64_t deny = 0, monitor = 0, allow = 0;
  std::int64_t last_ms = 0;

  std::uint64_t count() const noexcept { return deny + monitor + allow; }
  bool operator==(const FleetValue&) const = default;
};

// The commonest values of one field.
struct FleetTop {
  std::uint64_t distinct = 0;
  std::vector<FleetValue> values;
};

struct FleetCounts {
  std::uint64_t total = 0;
  std::vector<FleetBucket> buckets;  // in which there is something, the oldest first
  std::vector<FleetTop> tops;        // in the order of the fields
};

// The role needs SELECT on the tables alone; a replica is as good as the primary. `connection` outlives it.
class FleetEvents {
 public:
  static constexpr std::int64_t kTimeoutMs = 50'000;

  explicit FleetEvents(PgConnection& connection) : connection_(connection) {}

  // Sets how the session behaves: it cannot write but where it says so, and no statement takes longer than
  // that. A server that knows how ends a statement whose client has gone.
  PgResult<void> begin(std::int64_t timeout_ms = kTimeoutMs);
  // Newest first, behind `before`.
  PgResult<std::vector<FleetEvent>> list(const FleetFilter& filter, std::size_t limit,
                                         const std::optional<FleetPlace>& before = {});
  PgResult<std::optional<FleetEvent>> find(const EventId& id);
  // Time of the oldest event; none: there is no event.
  PgResult<std::optional<std::int64_t>> oldest_ms();
  // By the clock of the database.
  PgResult<std::int64_t> now_us();
  // Buckets from `filter.from_ms` on, and values of fields of fields(): the table is gone through once.
  PgResult<FleetCounts> count(const FleetFilter& filter, std::int64_t bucket_ms,
                              const std::vector<std::string>& fields, std::size_t values);

  // As in the query language.
  static std::vector<std::string_view> fields();

 private:
  PgConnection& connection_;
};

// A database keeps members in an order of its own: here they are in that of records.
std::string record_in_order(std::string_view record);
// The columns of a FleetEvent without its detail, and a row of them.
std::string_view fleet_event_columns() noexcept;
FleetEvent fleet_event_at(const PgAnswer& answer, int row);

}  // namespace wafd::forward
