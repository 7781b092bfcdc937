// Events of all nodes in groups: by source, by what each source tries, by what may need tuning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forward/io/postgres/connection.h"
#include "forward/io/postgres/fleet_filter.h"

namespace wafd::forward {

enum class FleetGroupBy : std::uint8_t { kSources, kAttackers, kTuning };

struct FleetGroup {
  std::uint64_t deny = 0, monitor = 0, allow = 0;
  std::int64_t first_ms = 0, last_ms = 0;
  std::string risk;  // the highest
  std::uint64_t sources = 0, attacks = 0, days = 0, other_rules = 0;
  // Of the newest event.
  EventId id;
  std::string rule, host, src, country, path, type;
  std::string name;  // of the parameter in which the deciding finding stood
};

struct FleetGroups {
  std::uint64_t total = 0, distinct = 0;
  std::vector<FleetGroup> groups;  // the largest first, of equal ones the one with the newest event
};

// A session as FleetEvents::begin() made it. Reads every match, and of groups for tuning its findings.
PgResult<FleetGroups> fleet_groups(PgConnection& connection, const FleetFilter& filter, FleetGroupBy by,
                                   std::size_t limit);

}  // namespace wafd::forward
