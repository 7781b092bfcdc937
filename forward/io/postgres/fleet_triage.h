// Triage and pins of events in the database of a fleet. For a thread that may wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "detect/core/event_id.h"
#include "forward/io/postgres/connection.h"

namespace wafd::forward {

struct FleetTriage {
  EventId id;
  bool closed = false;
  std::string label, note, by;
  std::optional<std::int64_t> at_ms;  // none: nobody said anything
  bool pinned = false;
};

// The members to be changed; others stay as they are.
struct FleetTriageChange {
  std::optional<bool> closed;
  std::optional<std::string> label, note;
  std::string by;
  std::int64_t at_ms = 0;
};

struct FleetPin {
  EventId id;
  std::string by;
  std::int64_t at_ms = 0;
  std::string event;
};

// A row each, in no order; of one that is not there nobody said anything.
PgResult<std::vector<FleetTriage>> read_fleet_triage(PgConnection& connection,
                                                     const std::vector<EventId>& ids);
// All or none, in one transaction; doing it twice does no harm. Answers what is said of those of `ids`, which
// are different ones, that are there: if fewer than all, nothing was changed.
PgResult<std::vector<FleetTriage>> set_fleet_triage(PgConnection& connection, const std::vector<EventId>& ids,
                                                    const FleetTriageChange& change);

PgResult<std::vector<FleetPin>> read_fleet_pins(PgConnection& connection);  // the last pinned first
// The pin that is there then: one that was stays as it is. None: `most` others are pinned already.
PgResult<std::optional<FleetPin>> add_fleet_pin(PgConnection& connection, const FleetPin& pin,
                                                std::size_t most);
PgResult<std::optional<FleetPin>> find_fleet_pin(PgConnection& connection, const EventId& id);
// `gone`: it was pinned; stays true where that is asked again after a lost connection.
PgResult<void> remove_fleet_pin(PgConnection& connection, const EventId& id, bool& gone);

}  // namespace wafd::forward
