#include "console/io/fleet/fleet_node_watch.h"

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
        node.silent_ms = row.silent_ms;
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
  if (*answer) facts_.nodes = std::move(**answer);
}

Result<bool> FleetNodeWatch::forget(const std::string& instance) {
  return ask_fleet(database_, {}, [&](forward::PgConnection& connection) {
    return forward::forget_fleet_node(connection, instance);
  });
}

}  // namespace wafd::console
