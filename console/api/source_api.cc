// Operations about one source of requests: where it is, who announces its network, which list entries hold
// it.
#include <utility>

#include <boost/json/array.hpp>

#include "console/api/api_parts.h"
#include "console/api/routing/etag.h"
#include "console/base/problem.h"
#include "console/settings/policy_json.h"
#include "detect/core/ip_address.h"

namespace wafd::console {
namespace {

HttpResponse show_source(const Services& services, const Call& call) {
  const auto address = IpAddress::parse(call.path[0]);
  if (!address) return problem(kBadRequest, "address: expected an IPv4 or IPv6 address");
  const std::string text = address->text();
  const SourceFacts facts = services.source_facts ? services.source_facts(text) : SourceFacts{};
  boost::json::array lists;
  for (const detect::ListEntry& entry : services.settings.current().policy.lists) {
    const bool over = entry.expires_s != 0 && entry.expires_s * 1000 <= call.now_ms;
    const auto network = Cidr::parse(entry.cidr);
    if (over || !network || !network->contains(*address)) continue;
    boost::json::object shown = with_etag(to_json(entry));
    shown["hits"] = hits_json(services.hits.total().lists, entry.id);
    lists.emplace_back(std::move(shown));
  }
  return HttpResponse::json(200, {{"address", text},
                                  {"country", facts.country},
                                  {"province", facts.province},
                                  {"city", facts.city},
                                  {"as_number", facts.as_number},
                                  {"as_name", facts.as_name},
                                  {"lists", std::move(lists)}});
}

}  // namespace

std::vector<Route> source_routes(Services& services) {
  return {operation("GET", "/api/v1/sources/{address}", Role::kViewer, "getSource",
                    "A source address: country and network where databases are given, and the list entries "
                    "that hold it")
              .answers("Source")
              .by(services, show_source)};
}

}  // namespace wafd::console
