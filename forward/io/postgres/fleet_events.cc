#include "forward/io/postgres/fleet_events.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "detect/core/record_members.h"

namespace wafd::forward {
namespace {

// Sorting and counting a day of events needs more than the 4 MiB that a server gives by itself.
// The limit of time comes last: it would hold for the statements behind it.
constexpr const char* kReaderSession = R"(
SET default_transaction_read_only = on;
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SET work_mem = '64MB';
SET TIME ZONE 'UTC';
SET standard_conforming_strings = on;
SELECT set_config(name, '1000', false) FROM pg_settings WHERE name = 'client_connection_check_interval';
SET statement_timeout = '{}ms')";

constexpr std::string_view kEventColumns =
    "(extract(epoch FROM time) * 1000)::bigint, replace(event_id::text, '-', ''), node, seq, record, status, "
    "response_size, (extract(epoch FROM stored) * 1000000)::bigint";
constexpr int kDetailColumn = 8;  // behind them

struct CountedField {
  std::string_view name, column;
  bool masked = false;  // for viewers
};
constexpr std::array kCountedFields{
    CountedField{"type", "attack_type"},
    CountedField{"risk", "risk"},
    CountedField{"action", "action"},
    CountedField{"src", "coalesce(host(src_ip), record->>'src_ip', '')"},
    CountedField{"site", "site"},
    CountedField{"rule", "rule"},
    CountedField{"host", "host"},
    CountedField{"path", "path"},
    CountedField{"method", "coalesce(record->>'method', '')"},
    CountedField{"location", "coalesce(record->>'location', '')"},
    CountedField{"module", "coalesce(record->>'module', '')"},
    CountedField{"country", "coalesce(record->>'country', '')"},
    CountedField{"province", "coalesce(record->>'province', '')"},
    CountedField{"city", "coalesce(record->>'city', '')"},
    CountedField{"ua", "coalesce(record->>'user_agent', '')"},
    CountedField{"referer", "coalesce(record->>'referer', '')", true},
    CountedField{"node", "coalesce(record->>'node', '')"},
    CountedField{"session", "coalesce(record->>'session', '')", true},
};

std::uint64_t count_at(const PgAnswer& answer, int row, int column) {
  return std::strtoull(PQgetvalue(answer.get(), row, column), nullptr, 10);
}
std::int64_t ms_at(const PgAnswer& answer, int row, int column) {
  return std::strtoll(PQgetvalue(answer.get(), row, column), nullptr, 10);
}

constexpr std::string_view kActionCounts =
    "count(*) FILTER (WHERE action = 'deny'), count(*) FILTER (WHERE action = 'monitor'), "
    "count(*) FILTER (WHERE action = 'allow')";

// One statement, so that the table is gone through once and all figures are of one moment. Each part answers:
// which one, value, deny, monitor, allow, the last time, how many values there are.
std::string count_sql(const std::string& where, std::int64_t from_ms, std::int64_t bucket_ms,
                      const std::vector<const CountedField*>& fields, Mask mask, std::size_t values) {
  std::string hits =
      "WITH hits AS MATERIALIZED (SELECT action, (extract(epoch FROM time) * 1000)::bigint AS ms";
  std::string parts = fmt::format(
      "SELECT -1 AS part, ((ms - {}) / {})::text AS value, {}, 0::bigint, 0::bigint FROM hits GROUP BY 2",
      from_ms, bucket_ms, kActionCounts);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool covered = mask == Mask::kViewer && fields[i]->masked;
    fmt::format_to(std::back_inserter(hits), ", {} AS f{}", covered ? "'***'" : fields[i]->column, i);
    fmt::format_to(std::back_inserter(parts),
                   " UNION ALL (SELECT {0}, f{0}, {1}, max(ms), count(*) OVER () FROM hits GROUP BY f{0} "
                   "ORDER BY count(*) DESC, f{0} COLLATE \"C\" LIMIT {2})",
                   i, kActionCounts, values);
  }
  return fmt::format("{} FROM wafd_events WHERE {}) {}", hits, where, parts);
}

}  // namespace

std::string_view fleet_event_columns() noexcept { return kEventColumns; }

// A database keeps members in an order of its own.
std::string record_in_order(std::string_view record) {
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

FleetEvent fleet_event_at(const PgAnswer& answer, int row) {
  FleetEvent event;
  event.place.time_ms = ms_at(answer, row, 0);
  event.place.id = EventId::parse(PQgetvalue(answer.get(), row, 1)).value_or(EventId());
  event.node = PQgetvalue(answer.get(), row, 2);
  event.seq = count_at(answer, row, 3);
  event.record = record_in_order(PQgetvalue(answer.get(), row, 4));
  if (!PQgetisnull(answer.get(), row, 5)) event.status = static_cast<int>(ms_at(answer, row, 5));
  if (!PQgetisnull(answer.get(), row, 6)) event.response_size = count_at(answer, row, 6);
  if (!PQgetisnull(answer.get(), row, 7)) event.stored_us = ms_at(answer, row, 7);
  return event;
}

PgResult<void> FleetEvents::begin(std::int64_t timeout_ms) {
  auto set = connection_.run(fmt::format(kReaderSession, timeout_ms));
  if (!set) return tl::unexpected(std::move(set.error()));
  return {};
}

PgResult<std::vector<FleetEvent>> FleetEvents::list(const FleetFilter& filter, std::size_t limit,
                                                    const std::optional<FleetPlace>& before) {
  FleetWhere where(filter);
  if (before) where.behind(*before);
  const auto answer = connection_.run(
      fmt::format("SELECT {} FROM wafd_events WHERE {} ORDER BY day DESC, time DESC, event_id DESC LIMIT {}",
                  kEventColumns, where.text(), limit),
      where.parameters());
  if (!answer) return tl::unexpected(answer.error());
  std::vector<FleetEvent> events;
  events.reserve(static_cast<std::size_t>(PQntuples(answer->get())));
  for (int row = 0; row < PQntuples(answer->get()); ++row) events.push_back(fleet_event_at(*answer, row));
  return events;
}

PgResult<std::optional<FleetEvent>> FleetEvents::find(const EventId& id) {
  const std::string parameters[] = {id.text()};
  const auto answer = connection_.run(
      fmt::format("SELECT {}, detail FROM wafd_events WHERE event_id = $1::uuid LIMIT 1", kEventColumns),
      parameters);
  if (!answer) return tl::unexpected(answer.error());
  if (PQntuples(answer->get()) == 0) return std::nullopt;
  FleetEvent event = fleet_event_at(*answer, 0);
  event.detail = PQgetvalue(answer->get(), 0, kDetailColumn);
  return event;
}

PgResult<std::optional<std::int64_t>> FleetEvents::oldest_ms() {
  const auto answer = connection_.run(
      "SELECT (extract(epoch FROM time) * 1000)::bigint FROM wafd_events ORDER BY day, time, event_id LIMIT "
      "1");
  if (!answer) return tl::unexpected(answer.error());
  if (PQntuples(answer->get()) == 0) return std::nullopt;
  return ms_at(*answer, 0, 0);
}

PgResult<std::int64_t> FleetEvents::now_us() {
  const auto answer = connection_.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
  if (!answer) return tl::unexpected(answer.error());
  return ms_at(*answer, 0, 0);
}

PgResult<FleetCounts> FleetEvents::count(const FleetFilter& filter, std::int64_t bucket_ms,
                                         const std::vector<std::string>& fields, std::size_t values) {
  std::vector<const CountedField*> counted;
  for (const std::string& name : fields) {
    const auto found = std::find_if(kCountedFields.begin(), kCountedFields.end(),
                                    [&](const CountedField& f) { return f.name == name; });
    if (found != kCountedFields.end()) {
      counted.push_back(found);
      continue;
    }
    PgError error;
    error.what = fmt::format("expected a field of {}", fmt::join(FleetEvents::fields(), ", "));
    return tl::unexpected(std::move(error));
  }
  const FleetWhere where(filter);
  const std::int64_t from_ms = filter.from_ms.value_or(0);
  bucket_ms = std::max<std::int64_t>(1, bucket_ms);
  const auto answer = connection_.run(
      count_sql(where.text(), from_ms, bucket_ms, counted, filter.mask, values), where.parameters());
  if (!answer) return tl::unexpected(answer.error());
  FleetCounts out;
  out.tops.resize(fields.size());
  for (int row = 0; row < PQntuples(answer->get()); ++row) {
    const std::uint64_t deny = count_at(*answer, row, 2), monitor = count_at(*answer, row, 3),
                        allow = count_at(*answer, row, 4);
    const std::int64_t part = ms_at(*answer, row, 0);
    if (part < 0) {
      out.buckets.push_back({from_ms + ms_at(*answer, row, 1) * bucket_ms, deny, monitor, allow});
      out.total += deny + monitor + allow;
      continue;
    }
    FleetTop& top = out.tops[static_cast<std::size_t>(part)];
    top.distinct = count_at(*answer, row, 6);
    top.values.push_back({PQgetvalue(answer->get(), row, 1), deny, monitor, allow, ms_at(*answer, row, 5)});
  }
  std::sort(out.buckets.begin(), out.buckets.end(),
            [](const FleetBucket& a, const FleetBucket& b) { return a.from_ms < b.from_ms; });
  for (FleetTop& top : out.tops)
    std::sort(top.values.begin(), top.values.end(), [](const FleetValue& a, const FleetValue& b) {
      return a.count() != b.count() ? a.count() > b.count() : a.value < b.value;
    });
  return out;
}

std::vector<std::string_view> FleetEvents::fields() {
  std::vector<std::string_view> names;
  names.reserve(kCountedFields.size());
  for (const CountedField& field : kCountedFields) names.push_back(field.name);
  return names;
}

}  // namespace wafd::forward
