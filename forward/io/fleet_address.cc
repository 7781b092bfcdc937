#include "forward/io/fleet_address.h"

#include <optional>

#include <fmt/format.h>

#include "forward/io/target_address.h"
#include "forward/io/tls_settings.h"
#include "forward/target/destination.h"
#include "ingest/io/kit/loop.h"
#include "ingest/io/kit/resolver.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kLookForStopMs = 100;

}  // namespace

Result<TargetSettings> read_fleet_address(const FleetAddress& address, std::string_view option) {
  auto members = target_members_of(address.url, option);
  if (!members) return tl::unexpected(members.error());
  if (members->at("transport").as_string() != "postgresql")
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: expected postgresql://USER@HOST:PORT/DATABASE?sslmode=MODE", option));
  (*members)["name"] = "fleet";
  if (!address.password.empty()) members->at("postgresql").as_object()["password"] = address.password;
  if (!address.ca_file.empty()) {
    if (!members->contains("tls")) (*members)["tls"] = boost::json::object();
    members->at("tls").as_object()["ca"] = "file:" + address.ca_file;
  }
  auto target = parse_target(*members);
  if (!target) target.error().what = fmt::format("{}: {}", option, target.error().what);
  return target;
}

Result<std::vector<PgPlace>> resolve_fleet(const TargetSettings& target, const StopSignal& stop) {
  kit::Loop loop;
  std::optional<kit::ResolveResult> found;
  kit::ResolveQuery query(loop, target.host, {}, [&](kit::ResolveResult result) {
    found = std::move(result);
    loop.stop();
  });
  kit::Timer watch(loop, [&] {
    if (stop.is_set()) loop.stop();
  });
  watch.start(kLookForStopMs, kLookForStopMs);
  loop.run();
  if (!found || !*found) return fail(ErrorCode::kMissing, found ? found->error().what : "not resolved");
  const HostPort at = receiver_at(target, 0);
  std::vector<PgPlace> places;
  for (const IpAddress& address : **found) {
    auto allowed = check_destination(address, at.port, Transport::kPostgresql, {});
    if (!allowed) return tl::unexpected(allowed.error());
    places.push_back({tls_name(target.tls, at), address.text(), at.port});
  }
  return places;
}

}  // namespace wafd::forward
