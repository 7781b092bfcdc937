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

void forget_node(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  if (!services.fleet_nodes) return respond(no_fleet());
  const auto answer = std::make_shared<HttpResponse>(HttpResponse::empty(503));
  const auto names = std::make_shared<std::vector<std::string>>();
  services.search_in_background(
      *call, respond,
      [nodes = services.fleet_nodes, call, answer, names] {
        auto gone = nodes->forget(call->path[0]);
        if (!gone) {
          *answer = problem_of(gone.error());
          return;
        }
        *names = std::move(*gone);
        *answer =
            names->empty() ? problem(kNotFound, "The fleet has no such node.") : HttpResponse::empty(204);
      },
      [&services, call, respond, answer, names] {
        for (const std::string& name : *names)
          services.audit(*call, "fleet.forget", call->path[0], {{"node", name}});
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
