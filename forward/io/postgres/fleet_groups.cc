#include "forward/io/postgres/fleet_groups.h"

#include <cstdlib>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::string_view kSource = "coalesce(host(src_ip), record->>'src_ip', '')";
constexpr std::string_view kDecidingName =
    "coalesce(detail->'findings'->coalesce((detail->>'weightiest')::integer, 0)->>'name', '')";

// The columns of `hits` that make a group.
std::string_view group_key(FleetGroupBy by) noexcept {
  switch (by) {
    case FleetGroupBy::kSources:
      return "src";
    case FleetGroupBy::kAttackers:
      return "src, rule, host";
    case FleetGroupBy::kTuning:
      break;
  }
  return "rule, host, path, name";
}

// Groups by size; then, of those that are shown, the newest event and the rules of all findings. `newest`
// holds its time and id as one text, whose greatest is the newest.
std::string groups_sql(const FleetWhere& where, FleetGroupBy by, std::size_t limit) {
  return fmt::format(
      R"(WITH hits AS MATERIALIZED (
  SELECT day, time, event_id, action, rule, host, path, {source} AS src, {name} AS name,
         CASE risk WHEN 'high' THEN 2 WHEN 'medium' THEN 1 ELSE 0 END AS risk,
         lpad((extract(epoch FROM time) * 1000)::bigint::text, 15, '0') || event_id::text AS newest
  FROM {from} WHERE {where}),
sized AS MATERIALIZED (
  SELECT {key}, count(*) AS size, count(*) FILTER (WHERE action = 'deny') AS denied,
         count(*) FILTER (WHERE action = 'monitor') AS monitored, count(*) FILTER (WHERE action = 'allow') AS allowed,
         min(time) AS first, max(time) AS last, max(risk) AS risk, count(DISTINCT src) AS sources,
         count(DISTINCT (src, rule, host)) AS attacks, count(DISTINCT day) AS days, max(newest) AS newest,
         count(*) OVER () AS groups, sum(count(*)) OVER () AS total
  FROM hits GROUP BY {key} ORDER BY size DESC, newest DESC LIMIT {limit}),
others AS (
  SELECT sized.newest, count(DISTINCT finding->>'rule_id') AS rules
  FROM (SELECT {key}, newest FROM sized) AS sized JOIN (SELECT {key}, day, event_id FROM hits) AS hits USING ({key})
  JOIN wafd_events AS one ON one.day = hits.day AND one.event_id = hits.event_id,
  jsonb_array_elements(CASE WHEN jsonb_typeof(one.detail->'findings') = 'array' THEN one.detail->'findings' ELSE '[]' END) AS finding
  WHERE finding->>'rule_id' <> one.rule GROUP BY sized.newest)
SELECT denied, monitored, allowed, (extract(epoch FROM first) * 1000)::bigint, (extract(epoch FROM last) * 1000)::bigint,
       CASE sized.risk WHEN 2 THEN 'high' WHEN 1 THEN 'medium' ELSE 'low' END, sources, attacks, days,
       coalesce(others.rules, 0), replace(event.event_id::text, '-', ''), event.rule, event.host,
       coalesce(host(event.src_ip), event.record->>'src_ip', ''), coalesce(event.record->>'country', ''),
       event.path, event.attack_type,
       coalesce(event.detail->'findings'->coalesce((event.detail->>'weightiest')::integer, 0)->>'name', ''), groups, total
FROM sized LEFT JOIN others ON others.newest = sized.newest
JOIN wafd_events AS event ON event.event_id = substr(sized.newest, 16)::uuid
  AND event.day = (to_timestamp(substr(sized.newest, 1, 15)::bigint / 1000) AT TIME ZONE 'UTC')::date
ORDER BY size DESC, sized.newest DESC)",
      fmt::arg("source", kSource), fmt::arg("name", by == FleetGroupBy::kTuning ? kDecidingName : "''"),
      fmt::arg("from", where.from()), fmt::arg("where", where.text()), fmt::arg("key", group_key(by)),
      fmt::arg("limit", limit));
}

}  // namespace

PgResult<FleetGroups> fleet_groups(PgConnection& connection, const FleetFilter& filter, FleetGroupBy by,
                                   std::size_t limit) {
  const FleetWhere where(filter);
  const auto answer = connection.run(groups_sql(where, by, limit), where.parameters());
  if (!answer) return tl::unexpected(answer.error());
  FleetGroups out;
  for (int row = 0; row < PQntuples(answer->get()); ++row) {
    const auto text = [&](int column) { return std::string(PQgetvalue(answer->get(), row, column)); };
    const auto number = [&](int column) { return std::strtoull(text(column).c_str(), nullptr, 10); };
    FleetGroup group;
    group.deny = number(0);
    group.monitor = number(1);
    group.allow = number(2);
    group.first_ms = static_cast<std::int64_t>(number(3));
    group.last_ms = static_cast<std::int64_t>(number(4));
    group.risk = text(5);
    group.sources = number(6);
    group.attacks = number(7);
    group.days = number(8);
    group.other_rules = number(9);
    group.id = EventId::parse(text(10)).value_or(EventId());
    group.rule = text(11);
    group.host = text(12);
    group.src = text(13);
    group.country = text(14);
    group.path = text(15);
    group.type = text(16);
    group.name = text(17);
    out.distinct = number(18);
    out.total = number(19);
    out.groups.push_back(std::move(group));
  }
  return out;
}

}  // namespace wafd::forward
