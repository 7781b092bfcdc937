// Status, metrics, audit log, health.
#include <ctime>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "console/api/admin_status.h"
#include "console/api/api_parts.h"
#include "console/api/node_state.h"
#include "console/api/routing/query_reader.h"
#include "console/base/problem.h"
#include "console/events/event_answers.h"

namespace wafd::console {
namespace {

boost::json::array sites_json(const Services& services) {
  const std::int64_t today = services.now_ms() / 86'400'000;
  boost::json::array sites;
  for (const detect::SiteSettings& site : services.settings.current().policy.sites) {
    const auto found = services.hits.total().sites.find(site.uuid);
    const detect::SiteDay* day =
        found == services.hits.total().sites.end() ? nullptr : found->second.find(today);
    sites.push_back({{"uuid", site.uuid},
                     {"name", site.name},
                     {"today", day == nullptr ? boost::json::value() : boost::json::value(to_json(*day))}});
  }
  return sites;
}

// Self-signed ones are made anew in time.
std::string certificate_note(const Services& services) {
  constexpr std::int64_t kWarnBeforeS = 30ll * 24 * 3600;
  const CertificateFacts& facts = services.certificate->facts();
  const std::int64_t now_s = services.now_ms() / 1000;
  if (facts.source == "self_signed" || facts.not_after_s > now_s + kWarnBeforeS) return {};
  return fmt::format("The console's certificate {} on {:%Y-%m-%d}: {}",
                     facts.not_after_s > now_s ? "ends" : "has ended",
                     fmt::gmtime(static_cast<std::time_t>(facts.not_after_s)), facts.file);
}

// Notes about the copy of the audit log, and about accounts of a fleet whose database does not answer.
void note_fleet(const Services& services, boost::json::array& notes) {
  if (services.audit_pages != nullptr)
    for (const std::string& note : services.audit_pages->notes()) notes.emplace_back(note);
  const std::string why = services.credentials.why_away();
  if (why.empty()) return;
  const auto until_s = static_cast<std::time_t>(services.accounts->reading_until_ms() / 1000);
  notes.emplace_back(why);
  notes.emplace_back(fmt::format("Sessions of the fleet can read until {:%H:%M:%S} UTC, and change nothing.",
                                 fmt::gmtime(until_s)));
}

boost::json::object status_json(Services& services, const StatusReport& report,
                                const std::vector<forward::TargetStatus>& statuses) {
  boost::json::array notes;
  for (const std::string& note : report.notes) notes.emplace_back(note);
  if (!services.audit_error.empty())
    notes.emplace_back("The audit log could not be written: " + services.audit_error);
  if (const std::uint64_t failed = services.ring.sync_errors(); failed > 0)
    notes.emplace_back(fmt::format(
        "{} times the ring could not be written to the disk: a loss of power would lose events", failed));
  note_fleet(services, notes);
  const std::string notice = settings_notice(services.settings, report);
  if (!notice.empty()) notes.emplace_back(notice);
  if (const std::string note = certificate_note(services); !note.empty()) notes.emplace_back(note);
  boost::json::array listeners;
  for (const auto& listener : report.listeners) listeners.emplace_back(to_json(listener));
  boost::json::array targets;
  for (const forward::TargetSettings& target : services.settings.current().targets) {
    boost::json::object object{{"id", target.id},
                               {"name", target.name},
                               {"transport", forward::to_string(target.transport)},
                               {"host", target.host},
                               {"port", target.port}};
    for (const forward::TargetStatus& status : statuses) {
      if (status.id != target.id) continue;
      for (auto& member : to_json(status)) object[member.key()] = std::move(member.value());
    }
    targets.emplace_back(std::move(object));
  }
  boost::json::object console = to_json(services.console_status());
  console["sessions"] = services.credentials.sessions().size();

  boost::json::object answer;
  answer["node"] = services.node;
  answer["version"] = WAFD_VERSION;
  answer["now_ms"] = services.now_ms();
  answer["started_ms"] = services.started_ms;
  answer["ready"] = services.ready();
  if (!report.places.error.empty()) notes.emplace_back(report.places.error);
  answer["notes"] = std::move(notes);
  answer["geoip"] = {{"database", report.places.database},
                     {"type", report.places.type},
                     {"built_s", report.places.built_s},
                     {"error", report.places.error}};
  answer["engine"] = to_json(report.engine);
  answer["sites"] = sites_json(services);
  answer["unknown_hosts"] = services.hits.total().unknown.hosts().size();
  answer["listeners"] = std::move(listeners);
  answer["targets"] = std::move(targets);
  answer["ring"] = to_json(ring_status(services.ring, services.now_ms()));
  answer["settings"] = {{"version", services.settings.current().version},
                        {"saved_ms", services.settings.current().saved_ms},
                        {"author", services.settings.current().author},
                        {"notice", notice},
                        {"file", services.settings.file()},
                        {"fleet", services.settings.of_fleet()}};
  answer["console"] = std::move(console);
  const bool fleet = services.fleet_nodes && services.fleet_nodes->facts().asked;
  answer["fleet"] = fleet ? boost::json::value(fleet_summary(services.fleet_nodes->facts())) : nullptr;
  return answer;
}

// Asks the workers, then the delivery loop; goes on on the console loop.
void collect(Services& services, std::function<void(boost::json::object)> then) {
  services.collect([&services, then = std::move(then)](StatusReport report) {
    services.delivery.status(
        [&services, then, report = std::move(report)](std::vector<forward::TargetStatus> statuses) {
          services.gather_hits([&services, then, report, statuses = std::move(statuses)] {
            then(status_json(services, report, statuses));
          });
        });
  });
}

HttpResponse configuration(const Services& services) {
  boost::json::array keys;
  for (const ConfigKey& key : services.config)
    keys.push_back({{"key", key.key}, {"value", key.value}, {"default", key.fallback}, {"help", key.help}});
  boost::json::object answer;
  answer["keys"] = std::move(keys);
  return HttpResponse::json(200, answer);
}

std::string own_audit(const Services& services, std::size_t limit, std::optional<std::uint64_t> before,
                      std::string_view text) {
  const AuditLog::Page page = services.audit_log.read(limit, before, text);
  std::string out = R"({"entries":[)";
  for (std::size_t i = 0; i < page.entries.size(); ++i) out += (i > 0 ? "," : "") + page.entries[i];
  return out + (page.before ? fmt::format(R"(],"before":{}}})", *page.before) : R"(],"before":null})");
}

// Of all nodes; of this one where their database cannot be asked.
void fleet_audit(Services& services, const std::shared_ptr<Call>& call, const Respond& respond,
                 std::size_t limit) {
  // Left out where nobody waits any more.
  const auto page = std::make_shared<Result<std::string>>(tl::unexpected(Error{}));
  const std::string before(call->target.parameter("before").value_or(""));
  const std::string text(call->target.parameter("q").value_or(""));
  services.search_in_background(
      *call, respond,
      [&services, page, limit, before, text] { *page = services.audit_pages->page(limit, before, text); },
      [&services, page, limit, text, respond] {
        if (*page)
          return respond(HttpResponse::json_text(200, with_member(**page, "fleet", fleet_answered())));
        if (page->error().code == ErrorCode::kInvalid)
          return respond(problem(kBadRequest, page->error().what));
        respond(HttpResponse::json_text(200, with_member(own_audit(services, limit, std::nullopt, text),
                                                         "fleet", fleet_did_not_answer(page->error().what))));
      });
}

void audit_page(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target);
  const std::uint64_t limit = reader.number("limit", 100, 1, 1000);
  if (reader.refused()) return respond(std::move(*reader.refused()));
  const std::string_view place = call->target.parameter("before").value_or("");
  const bool of_fleet = place.find('.') != std::string_view::npos;
  if (services.audit_pages != nullptr && (place.empty() || of_fleet))
    return fleet_audit(services, call, respond, limit);
  const auto before = reader.sequence("before");
  if (reader.refused()) return respond(std::move(*reader.refused()));
  std::string page = own_audit(services, limit, before, call->target.parameter("q").value_or(""));
  if (services.audit_pages != nullptr)
    page = with_member(std::move(page), "fleet",
                       fleet_did_not_answer("this list began while the database did not answer"));
  respond(HttpResponse::json_text(200, std::move(page)));
}

std::vector<telemetry::MetricFamily> families_of(const Services& services,
                                                 const boost::json::object& status) {
  auto families = metric_families(status);
  const auto add = [&](std::vector<telemetry::MetricFamily> more) {
    families.insert(families.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  };
  add(metric_families(services.hits.total()));
  if (services.more_metrics) add(services.more_metrics());
  return families;
}

}  // namespace

bool asks_for_status(std::string_view line) { return line == kAskForStatus; }

void answer_status(Services& services, std::function<void(std::string)> answer) {
  collect(services, [answer = std::move(answer)](boost::json::object status) {
    answer(boost::json::serialize(boost::json::object{{"ok", true}, {"status", std::move(status)}}));
  });
}

void collect_metrics(Services& services, std::function<void(std::vector<telemetry::MetricFamily>)> then) {
  collect(services, [&services, then = std::move(then)](const boost::json::object& status) {
    then(families_of(services, status));
  });
}

std::vector<Route> status_routes(Services& services) {
  return {
      operation("GET", "/api/v1/status", Role::kViewer, "getStatus", "The state of the whole")
          .answers("Status")
          .by([&services](const std::shared_ptr<Call>&, const Respond& respond) {
            collect(services, [respond](const boost::json::object& status) {
              respond(HttpResponse::json(200, status));
            });
          }),
      operation("GET", "/api/v1/traffic", Role::kViewer, "getTraffic",
                "Requests over time since the start, two days at most")
          .answers("Traffic")
          .by([&services](const std::shared_ptr<Call>&, const Respond& respond) {
            services.gather_traffic(
                [&services, respond] { respond(HttpResponse::json_text(200, services.traffic.json())); });
          }),
      operation("GET", "/api/v1/config", Role::kViewer, "getConfiguration",
                "What the configuration file and the command line decide; secrets are ***")
          .answers("Configuration")
          .by(services, configuration),
      operation("GET", "/api/v1/audit", Role::kAdmin, "listAudit", "Who changed what, newest first")
          .asks({{"limit", R"({"type":"integer","minimum":1,"maximum":1000,"default":100})",
                  "How many at most"},
                 {"before", R"({"type":["integer","string"]})",
                  "Only entries behind that place: the `before` of a page"},
                 {"q", R"({"type":"string"})",
                  "Only entries in whose JSON text this stands, in any case. A page may then be empty and "
                  "still have "
                  "a next one."}})
          .answers("Audit")
          .by(services, audit_page),
      operation("GET", "/metrics", Role::kViewer, "getMetrics", "Metrics for Prometheus")
          .answers_text("text/plain; version=0.0.4")
          .by([&services](const std::shared_ptr<Call>&, const Respond& respond) {
            collect(services, [&services, respond](const boost::json::object& status) {
              HttpResponse response;
              response.headers.push_back({"Content-Type", "text/plain; version=0.0.4"});
              response.body = telemetry::prometheus_text(families_of(services, status));
              respond(std::move(response));
            });
          }),
  };
}

std::vector<Route> health_routes(Services& services) {
  return {
      operation("GET", "/healthz", std::nullopt, "getHealth", "Whether the program runs")
          .answers("Health")
          .by(at_once([](Call&) { return HttpResponse::json_text(200, R"({"status":"ok"})"); })),
      operation("GET", "/readyz", std::nullopt, "getReadiness", "Whether everything is bound and open")
          .answers("Health")
          .by(at_once([&services](Call&) {
            return services.ready() ? HttpResponse::json_text(200, R"({"status":"ok"})")
                                    : HttpResponse::json_text(503, R"({"status":"starting"})");
          })),
  };
}

}  // namespace wafd::console
