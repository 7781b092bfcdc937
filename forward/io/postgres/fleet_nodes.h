// The nodes of a fleet, as they last told its database. For a thread that may wait.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "forward/io/postgres/connection.h"

namespace wafd::forward {

struct FleetNode {
  std::string name;            // as its target calls it
  std::string instance;        // of its ring: nodes of one name are told apart by it
  std::int64_t seen_ms = 0;    // Unix time by the clock of the database
  std::int64_t silent_ms = 0;  // since then
  std::int64_t clock_ms = 0;   // by how much its clock is ahead of the database's, with the way there
  std::string said;            // a JSON object
};

inline constexpr std::size_t kMaxFleetNodes = 2'000;

// By name, at most kMaxFleetNodes.
PgResult<std::vector<FleetNode>> read_fleet_nodes(PgConnection& connection);
// Adds the names it had, most often one, to `names`, which stays as it is where that is asked again after a
// lost connection; none: there is no such node. One that is alive is back within seconds.
PgResult<void> forget_fleet_node(PgConnection& connection, const std::string& instance,
                                 std::set<std::string>& names);

}  // namespace wafd::forward
