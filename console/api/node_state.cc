#include "console/api/node_state.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace wafd::console {

RingStatus ring_status(const forward::Ring& ring, std::int64_t now_ms) {
  RingStatus status;
  status.size_bytes = ring.size_bytes();
  status.used_bytes = ring.used_bytes();
  status.oldest_seq = ring.oldest();
  status.end_seq = ring.end();
  status.refused = ring.refused();
  status.recovery = ring.recovery().text;
  if (ring.oldest() == ring.end()) return status;
  const std::int64_t oldest_ms = ring.oldest_time_ms();
  status.oldest_ms = oldest_ms;
  // How far back it will reach once it is full, at the rate it has been filled so far.
  if (ring.used_bytes() > 0 && now_ms > oldest_ms) {
    status.reach_ms = static_cast<std::int64_t>(static_cast<double>(now_ms - oldest_ms) *
                                                static_cast<double>(ring.size_bytes()) /
                                                static_cast<double>(ring.used_bytes()));
  }
  return status;
}

forward::NodeState node_state(const StatusReport& report, const std::vector<forward::TargetStatus>& statuses,
                              const Settings& settings, const RingStatus& ring) {
  forward::NodeState out;
  for (const forward::TargetSettings& target : settings.targets) {
    if (!target.enabled) continue;
    for (const forward::TargetStatus& status : statuses) {
      if (status.id != target.id) continue;
      const bool waits = status.unacknowledged_ms > kUnacknowledgedMs;
      out.targets.push_back({target.id, target.name, status.state == "up" && !waits,
                             status.state == "up" ? "connected, not acknowledging" : status.state});
    }
  }
  for (const auto& listener : report.listeners)
    out.listeners.push_back({listener.name, listener.last_request_ms});
  for (const detect::SiteSettings& site : settings.policy.sites) out.sites.emplace(site.uuid, site.name);
  const StatusReport::Engine& engine = report.engine;
  out.requests = engine.requests;
  out.unjudged = engine.overload_passed + engine.overload_blocked + engine.judged_by_head +
                 engine.plugin_skipped + engine.plugin_unjudged;
  const double used = static_cast<double>(ring.used_bytes);
  if (used >= kTellingShare * static_cast<double>(ring.size_bytes)) out.reach_ms = ring.reach_ms;
  return out;
}

std::string settings_notice(const SettingsStore& settings, const StatusReport& report) {
  if (report.rules_error.empty() || !settings.of_fleet()) return settings.notice();
  const std::string rules = fmt::format("version {} of the settings is in use here without its rules: {}",
                                        settings.current().version, report.rules_error);
  return settings.notice().empty() ? rules : settings.notice() + "; " + rules;
}

namespace {

// The facts that this node publishes to the databases it writes to.
FleetNodeFacts own_facts(Services& services, const StatusReport& report, const forward::NodeState& state,
                         const std::vector<forward::TargetStatus>& statuses) {
  FleetNodeFacts out;
  out.version = WAFD_VERSION;
  out.started_ms = services.started_ms;
  out.requests = report.engine.requests;
  out.denied = report.engine.denied;
  out.requests_per_s = services.pace.add(report.engine.requests, services.steady_ms());
  out.waiting = report.engine.waiting;
  for (const auto& listener : report.listeners)
    if (listener.last_request_ms)
      out.last_request_ms = std::max(out.last_request_ms.value_or(0), *listener.last_request_ms);
  out.settings_version = services.settings.current().version;
  if (services.settings.of_fleet()) {
    out.settings_error = settings_notice(services.settings, report);
    if (out.settings_error.empty()) out.settings_error = report.system_error;
  }
  for (const forward::NodeState::Target& target : state.targets)
    for (const forward::TargetStatus& status : statuses)
      if (status.id == target.id)
        out.targets.push_back(
            {target.name, target.well ? "up" : target.state, status.lag_events, status.lag_ms});
  return out;
}

std::optional<std::vector<forward::NodeState::Node>> nodes_of(Services& services) {
  if (!services.fleet_nodes) return std::nullopt;
  services.fleet_nodes->look();
  const FleetFacts& facts = services.fleet_nodes->facts();
  if (!facts.asked || !facts.why.empty()) return std::nullopt;
  std::vector<forward::NodeState::Node> out;
  out.reserve(facts.nodes.size());
  for (const FleetNodeFacts& node : facts.nodes)
    out.push_back({node.node + " " + node.instance, node.node, node.missed_ms});
  return out;
}

}  // namespace

void observe(Services& services) {
  services.collect([&services](StatusReport report) {
    services.delivery.status(
        [&services, report = std::move(report)](std::vector<forward::TargetStatus> statuses) {
          services.post([&services, report, statuses = std::move(statuses)] {
            forward::NodeState state = node_state(report, statuses, services.settings.current(),
                                                  ring_status(services.ring, services.now_ms()));
            if (services.beat)
              services.beat->say(said_by_node(own_facts(services, report, state, statuses)),
                                 services.steady_ms());
            state.nodes = nodes_of(services);
            services.notifier->observe(state);
          });
        });
  });
}

AuditEntry audit_of(const forward::SendRecord& record) {
  AuditEntry entry;
  entry.time_ms = record.time_ms;
  entry.via = "console";
  entry.action = record.sent ? "notify.sent" : "notify.failed";
  entry.object = record.channel;
  entry.detail = {{"name", record.name},
                  {"subject", record.subject},
                  {"notifications", record.notifications},
                  {"attempt", record.attempt},
                  {"text", record.text}};
  return entry;
}

}  // namespace wafd::console
