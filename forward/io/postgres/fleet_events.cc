#include "forward/io/postgres/fleet_events.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "detect/core/record_members.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/query_sql/query_sql.h"

namespace wafd::forward {
namespace {

constexpr const char* kBegin = R"(
SET default_transaction_read_only = on;
SET statement_timeout = '50s';
SET TIME ZONE 'UTC';
SET standard_conforming_strings = on)";

constexpr std::string_view kColumns =
    "(extract(epoch FROM time) * 1000)::bigint, replace(event_id::text, '-', ''), node, record, status, "
    "response_size";

struct TopField {
  std::string_view name, column;
};
constexpr std::array kTopFields{
    TopField{"action", "action"},
    TopField{"attack_type", "attack_type"},
    TopField{"country", "record->>'country'"},
    TopField{"host", "host"},
    TopField{"node", "node"},
    TopField{"path", "path"},
    TopField{"risk", "risk"},
    TopField{"rule", "rule"},
    TopField{"site", "site"},
    TopField{"src_ip", "record->>'src_ip'"},
    TopField{"user_agent", "record->>'user_agent'"},
};

// Conditions with their parameters, in the order in which they are added.
struct Where {
  std::string text = "true";
  std::vector<std::string> parameters;

  std::string parameter(std::string value) {
    parameters.push_back(std::move(value));
    return fmt::format("${}", parameters.size());
  }
  // Of the day too, so that other days are not looked at.
  void from(std::int64_t ms) {
    const std::string day = parameter(date_text(day_of(ms))), time = parameter(time_text(ms));
    text += fmt::format(" AND day >= {}::date AND time >= {}::timestamptz", day, time);
  }
  void to(std::int64_t ms) {
    const std::string day = parameter(date_text(day_of(ms))), time = parameter(time_text(ms));
    text += fmt::format(" AND day <= {}::date AND time < {}::timestamptz", day, time);
  }
};

Where where_of(const FleetFilter& filter) {
  Where where;
  if (filter.from_ms) where.from(*filter.from_ms);
  if (filter.to_ms) where.to(*filter.to_ms);
  QuerySql query = sql_of(filter.query, where.parameters.size() + 1);
  where.text += " AND " + query.text;
  std::move(query.parameters.begin(), query.parameters.end(), std::back_inserter(where.parameters));
  return where;
}

// A database keeps members in an order of its own.
std::string in_order(std::string_view record) {
  namespace json = boost::json;
  boost::system::error_code ec;
  const json::value value = json::parse(record, ec);
  if (ec || !value.is_object()) return "{}";
  std::string out;
  for (const auto& member : kMembers) {
    const json::value* found = value.as_object().if_contains(member.name);
    fmt::format_to(std::back_inserter(out), "{}\"{}\":{}", out.empty() ? "{" : ",", member.name,
                   found ? json::serialize(*found) : "null");
  }
  return out + "}";
}

std::uint64_t number(const PgAnswer& answer, int row, int column) {
  return std::strtoull(PQgetvalue(answer.get(), row, column), nullptr, 10);
}

FleetEvent event_at(const PgAnswer& answer, int row) {
  FleetEvent event;
  event.place.time_ms = std::strtoll(PQgetvalue(answer.get(), row, 0), nullptr, 10);
  event.place.id = EventId::parse(PQgetvalue(answer.get(), row, 1)).value_or(EventId());
  event.node = PQgetvalue(answer.get(), row, 2);
  event.record = in_order(PQgetvalue(answer.get(), row, 3));
  if (!PQgetisnull(answer.get(), row, 4)) event.status = static_cast<int>(number(answer, row, 4));
  if (!PQgetisnull(answer.get(), row, 5)) event.response_size = number(answer, row, 5);
  return event;
}

}  // namespace

PgResult<void> FleetEvents::begin() {
  auto set = connection_.run(kBegin);
  if (!set) return tl::unexpected(std::move(set.error()));
  return {};
}

PgResult<std::vector<FleetEvent>> FleetEvents::list(const FleetFilter& filter, std::size_t limit,
                                                    const std::optional<FleetPlace>& before) {
  Where where = where_of(filter);
  if (before) {
    const std::string day = where.parameter(date_text(day_of(before->time_ms)));
    const std::string time = where.parameter(time_text(before->time_ms));
    const std::string id = where.parameter(before->id.text());
    where.text +=
        fmt::format(" AND day <= {}::date AND (day, time, event_id) < ({}::date, {}::timestamptz, {}::uuid)",
                    day, day, time, id);
  }
  const auto answer = connection_.run(
      fmt::format("SELECT {} FROM wafd_events WHERE {} ORDER BY day DESC, time DESC, event_id DESC LIMIT {}",
                  kColumns, where.text, limit),
      where.parameters);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<FleetEvent> events;
  events.reserve(static_cast<std::size_t>(PQntuples(answer->get())));
  for (int row = 0; row < PQntuples(answer->get()); ++row) events.push_back(event_at(*answer, row));
  return events;
}

PgResult<std::optional<FleetEvent>> FleetEvents::find(const EventId& id) {
  const std::string parameters[] = {id.text()};
  const auto answer = connection_.run(
      fmt::format("SELECT {}, detail FROM wafd_events WHERE event_id = $1::uuid LIMIT 1", kColumns),
      parameters);
  if (!answer) return tl::unexpected(answer.error());
  if (PQntuples(answer->get()) == 0) return std::nullopt;
  FleetEvent event = event_at(*answer, 0);
  event.detail = PQgetvalue(answer->get(), 0, 6);
  return event;
}

PgResult<std::vector<FleetBucket>> FleetEvents::histogram(const FleetFilter& filter, std::int64_t bucket_ms) {
  Where where = where_of(filter);
  const std::int64_t from_ms = filter.from_ms.value_or(0);
  bucket_ms = std::max<std::int64_t>(1, bucket_ms);
  const auto answer = connection_.run(
      fmt::format("SELECT ((extract(epoch FROM time) * 1000)::bigint - {0}) / {1} AS bucket, "
                  "count(*) FILTER (WHERE action = 'deny'), count(*) FILTER (WHERE action = 'monitor'), "
                  "count(*) FILTER (WHERE action = 'allow') FROM wafd_events WHERE {2} GROUP BY 1 ORDER BY 1",
                  from_ms, bucket_ms, where.text),
      where.parameters);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<FleetBucket> buckets;
  buckets.reserve(static_cast<std::size_t>(PQntuples(answer->get())));
  for (int row = 0; row < PQntuples(answer->get()); ++row)
    buckets.push_back({from_ms + static_cast<std::int64_t>(number(*answer, row, 0)) * bucket_ms,
                       number(*answer, row, 1), number(*answer, row, 2), number(*answer, row, 3)});
  return buckets;
}

PgResult<std::vector<std::pair<std::string, std::uint64_t>>> FleetEvents::top(const FleetFilter& filter,
                                                                              std::string_view field,
                                                                              std::size_t limit) {
  const auto found =
      std::find_if(kTopFields.begin(), kTopFields.end(), [&](const TopField& f) { return f.name == field; });
  if (found == kTopFields.end()) {
    PgError error;
    error.what = fmt::format("expected a field of {}", fmt::join(top_fields(), ", "));
    return tl::unexpected(std::move(error));
  }
  const Where where = where_of(filter);
  const auto answer = connection_.run(
      fmt::format(
          "SELECT {} AS value, count(*) FROM wafd_events WHERE {} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {}",
          found->column, where.text, limit),
      where.parameters);
  if (!answer) return tl::unexpected(answer.error());
  std::vector<std::pair<std::string, std::uint64_t>> values;
  values.reserve(static_cast<std::size_t>(PQntuples(answer->get())));
  for (int row = 0; row < PQntuples(answer->get()); ++row)
    values.emplace_back(PQgetvalue(answer->get(), row, 0), number(*answer, row, 1));
  return values;
}

std::vector<std::string_view> FleetEvents::top_fields() {
  std::vector<std::string_view> names;
  names.reserve(kTopFields.size());
  for (const TopField& field : kTopFields) names.push_back(field.name);
  return names;
}

}  // namespace wafd::forward
