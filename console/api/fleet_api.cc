// The nodes of a fleet.
#include <memory>
#include <utility>

#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/base/problem.h"

namespace wafd::console {
namespace {

HttpResponse no_fleet() {
  return problem(kNotFound, "This console shows one node: fleet.database is not set.");
}

HttpResponse fleet_now(Services& services) {
  if (!services.fleet_nodes) return no_fleet();
  services.fleet_nodes->look();
  return HttpResponse::json(200, to_json(services.fleet_nodes->facts(), services.now_ms()));
}

std::string name_of(Services& services, std::string_view instance) {
  for (const FleetNodeFacts& node : services.fleet_nodes->facts().nodes)
    if (node.instance == instance) return node.node;
  return {};
}

void forget_node(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  if (!services.fleet_nodes) return respond(no_fleet());
  const auto answer = std::make_shared<HttpResponse>(HttpResponse::empty(503));
  services.search_in_background(
      *call, respond,
      [nodes = services.fleet_nodes, call, answer] {
        const auto gone = nodes->forget(call->path[0]);
        *answer = !gone   ? problem_of(gone.error())
                  : *gone ? HttpResponse::empty(204)
                          : problem(kNotFound, "The fleet has no such node.");
      },
      [&services, call, respond, answer] {
        if (answer->status == 204)
          services.audit(*call, "fleet.forget", call->path[0], {{"node", name_of(services, call->path[0])}});
        respond(std::move(*answer));
      });
}

}  // namespace

std::vector<Route> fleet_routes(Services& services) {
  return {
      operation("GET", "/api/v1/fleet", Role::kViewer, "getFleet",
                "The nodes that write to the fleet's database, as they last told")
          .answers("FleetNodes")
          .by(at_once([&services](Call&) { return fleet_now(services); })),
      operation("DELETE", "/api/v1/fleet/nodes/{instance}", Role::kAdmin, "forgetNode",
                "Forget a node that is no more; one that is alive is back within seconds")
          .answers_nothing()
          .by(services, forget_node),
  };
}

}  // namespace wafd::console
