#include "console/io/fleet/fleet_node_watch.h"

#include <algorithm>
#include <set>
#include <utility>

#include "console/io/fleet/fleet_answers.h"
#include "forward/io/postgres/fleet_nodes.h"

namespace wafd::console {

void FleetNodeWatch::look() {
  take();
  if (!looks_.busy())
    looks_.ask([&database = database_](const auto& over) -> Result<std::vector<FleetNodeFacts>> {
      auto rows = ask_fleet(database, over, forward::read_fleet_nodes);
      if (!rows) return tl::unexpected(std::move(rows.error()));
      std::vector<FleetNodeFacts> nodes;
      for (forward::FleetNode& row : *rows) {
        FleetNodeFacts& node = nodes.emplace_back();
        node.node = std::move(row.name);
        node.instance = std::move(row.instance);
        node.seen_ms = row.seen_ms;
        node.silent_ms = node.missed_ms = row.silent_ms;
        node.clock_ms = row.clock_ms;
        read_said(row.said, node);
      }
      return nodes;
    });
  take();  // where it was answered at once
}

void FleetNodeWatch::take() {
  auto answer = looks_.take();
  if (!answer) return;
  const forward::FleetState state = database_.state();
  facts_.asked = true;
  facts_.since_ms = state.since_ms;
  facts_.why = *answer ? std::string() : answer->error().what;
  if (!*answer) return;
  facts_.nodes = std::move(**answer);
  if (!state.back_for_ms) return;
  // While the database was away nobody could tell it anything.
  for (FleetNodeFacts& node : facts_.nodes)
    node.missed_ms = std::min(node.missed_ms, std::max<std::int64_t>(0, *state.back_for_ms - kComesBackMs));
}

Result<std::vector<std::string>> FleetNodeWatch::forget(const std::string& instance) {
  std::set<std::string> names;
  auto done = ask_fleet(database_, {}, [&](forward::PgConnection& connection) -> forward::PgResult<bool> {
    auto gone = forward::forget_fleet_node(connection, instance, names);
    if (!gone) return tl::unexpected(std::move(gone.error()));
    return true;
  });
  if (!done) return tl::unexpected(std::move(done.error()));
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace wafd::console
