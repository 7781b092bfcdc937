// The report of a span, and the one of the week that goes to channels.
#include <algorithm>
#include <utility>

#include "console/api/api_parts.h"
#include "console/api/routing/query_reader.h"
#include "console/api/weekly_report.h"
#include "console/base/problem.h"
#include "console/events/report.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kWeekMs = 7 * 24 * forward::kHourMs;

ReportNames report_names(Services& services) {
  const auto engine = services.engine ? services.engine() : nullptr;
  ReportNames names;
  names.site = [&services](std::string_view uuid) {
    for (const detect::SiteSettings& site : services.settings.current().policy.sites)
      if (site.uuid == uuid) return site.name;
    return std::string(uuid);
  };
  names.rule = [engine](std::string_view id) {
    if (engine)
      for (const Rule* rule : engine->rules())
        if (rule->id == id) return std::string(rule->name);
    return std::string(id);
  };
  return names;
}

// The query, and the same of the span of that length before it.
std::vector<forward::TrendQuery> with_before(const forward::TrendQuery& query) {
  forward::TrendQuery before = query;
  before.to_ms = query.from_ms;
  before.from_ms = query.from_ms - (query.to_ms - query.from_ms);
  return {query, before};
}

void report(Services& services, const std::shared_ptr<Call>& call, const Respond& respond) {
  QueryReader reader(call->target);
  forward::TrendQuery query;
  const std::int64_t end = (services.now_ms() / forward::kHourMs + 1) * forward::kHourMs;
  query.to_ms = reader.time_ms("to", end);
  query.from_ms = reader.time_ms("from", std::max<std::int64_t>(query.to_ms - kWeekMs, 0));
  if (reader.refused()) return respond(std::move(*reader.refused()));
  if (query.from_ms > query.to_ms)
    return respond(problem(kBadRequest, "from: expected a time before `to`.", {{"member", "from"}}));
  const auto text = [&](const char* name) { return std::string(call->target.parameter(name).value_or("")); };
  query.site = text("site");
  query.rule = text("rule");
  query.type = text("type");
  query.action = text("action");
  services.notifier->trends(
      with_before(query), [&services, respond, query](std::vector<forward::TrendSums> sums) {
        services.post([&services, respond, query, sums = std::move(sums)] {
          boost::json::object answer = report_json(query, sums[0], sums[1], report_names(services));
          answer["node"] = services.node;
          respond(HttpResponse::json(200, answer));
        });
      });
}

}  // namespace

void tell_weekly_report(Services& services) {
  forward::Notification told;
  for (const forward::ChannelSettings& channel : services.settings.current().channels)
    if (channel.enabled && channel.weekly_report) told.channels.push_back(channel.id);
  if (told.channels.empty()) return;
  const std::int64_t now_ms = services.now_ms();
  std::string local;
  services.zone.append_rfc3339(now_ms * 1000, 3, local);
  ReportWeek week;
  if (!week_of_report(now_ms, local, week)) return;
  // Late only for a node that was down when it was due: a channel that is made on a Wednesday waits for
  // Monday.
  if (week.late && services.started_ms <= week.due_ms) return;
  told.alert_id = week.id;
  told.when = "report";
  told.state = forward::NotificationState::kReport;
  told.time_ms = now_ms;
  told.entitle(week.title);
  forward::TrendQuery query;
  query.from_ms = week.from_ms;
  query.to_ms = week.to_ms;
  services.notifier->trends(
      with_before(query), [&services, told, week](std::vector<forward::TrendSums> sums) {
        services.post([&services, told, week, sums = std::move(sums)]() mutable {
          // A node that did not exist then has missed nothing.
          if (week.late && (sums[0].begins_ms == 0 || sums[0].begins_ms >= week.to_ms)) return;
          for (forward::Words& line : report_lines(sums[0], sums[1], report_names(services)))
            told.add_line(std::move(line));
          services.notifier->tell(std::move(told));
        });
      });
}

std::vector<Route> report_routes(Services& services) {
  const std::string text = R"({"type":"string"})";
  return {operation(
              "GET", "/api/v1/report", Role::kViewer, "getReport",
              "Counts of a span, hour by hour or day by day, for up to a year: also longer ago than the ring "
              "reaches")
              .asks({{"from", R"({"type":"integer"})",
                      "Unix ms, taken down to a whole hour; a week before `to` if absent"},
                     {"to", R"({"type":"integer"})",
                      "Unix ms, taken down to a whole hour; the end of this hour if absent"},
                     {"site", text, "Only events of the site of this uuid"},
                     {"rule", text, "Only events of the rule of this id"},
                     {"type", text, "Only events of this attack type"},
                     {"action", text, "Only events with this action"}})
              .answers("Report")
              .by(services, report)};
}

}  // namespace wafd::console
