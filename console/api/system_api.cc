// Operations on the settings of the whole node; a member that is not set is as the configuration has it.
#include <utility>

#include <boost/json/array.hpp>

#include "console/api/api_parts.h"
#include "console/api/routing/etag.h"
#include "console/base/problem.h"
#include "console/settings/system_settings.h"

namespace wafd::console {
namespace {

boost::json::object shown_system(const Services& services) {
  boost::json::object out = with_etag(to_json(services.settings.current().system));
  out["configured"] = to_json(services.configured);
  boost::json::array warnings;
  for (std::string& text : system_warnings(in_force(services.settings.current().system, services.configured)))
    warnings.emplace_back(std::move(text));
  out["warnings"] = std::move(warnings);
  return out;
}

HttpResponse change_system(Services& services, Call& call) {
  Settings next = services.settings.current();
  boost::json::object before = to_json(next.system);
  if (auto refused = refuse_outdated(call.request, before)) return std::move(*refused);
  auto parsed = parse_system(call.body);
  if (!parsed) return problem_of(parsed.error());
  next.system = std::move(*parsed);
  if (auto saved = services.settings.commit(std::move(next), call.identity.username, call.now_ms); !saved)
    return problem_of(saved.error());
  services.audit(call, "system.change", "system",
                 {{"before", std::move(before)}, {"after", to_json(services.settings.current().system)}});
  return answer_object(200, shown_system(services));
}

}  // namespace

std::vector<Route> system_routes(Services& services) {
  return with_if_match({
      operation("GET", "/api/v1/system", Role::kViewer, "getSystem",
                "Trusted proxies, time zone, database of source locations")
          .answers("System")
          .by(at_once([&services](Call&) { return answer_object(200, shown_system(services)); })),
      operation("PUT", "/api/v1/system", Role::kAdmin, "changeSystem",
                "Set them; what is absent or null is as the configuration has it")
          .takes("SystemRequest")
          .answers("System")
          .by(services, change_system),
  });
}

}  // namespace wafd::console
