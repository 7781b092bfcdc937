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

// Sorting and counting a day of events needs more than the 4 MiB that a server gives by itself. Compiling a
// statement takes longer than most of them do.
// The limit of time comes last: it would hold for the statements behind it.
constexpr const char* kReaderSession = R"(
SET default_transaction_read_only = on;
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s';
SET work_mem = '64MB';
SET TIME ZONE 'UTC';
SET standard_conforming_strings = on;
SELECT set_config(name, CASE name WHEN 'jit' THEN 'off' ELSE '1000' END, false) FROM pg_settings
WHERE name IN ('client_connection_check_interval', 'jit');
SET statement_timeout = '{}ms')";

constexpr std::string_view kEventColumns =
    "(extract(epoch FROM time) * 1000)::bigint, replace(event_id::text, '-', ''), node, seq, record, status, "
    "response_size, (extract(epoch FROM stored) * 1000000)::bigint";
constexpr int kDetailColumn = 8;  // behind them

// How a value is made of what stands in a row: of a column, or of a member of the record. An address is
// written as text once for each group and not for each row.
struct CountedField {
  std::string_view name, column;
  std::string_view member = {};
  bool masked = false;  // for viewers
};
constexpr std::string_view kNoAddress = "CASE WHEN src_ip IS NULL THEN coalesce(record->>'src_ip', '') END";
constexpr std::array kCountedFields{
    CountedField{"type", "attack_type"},
    CountedField{"risk", "risk"},
    CountedField{"action", "action"},
    CountedField{"src", "src_ip"},
    CountedField{"site", "site"},
    CountedField{"rule", "rule"},
    CountedField{"host", "host"},
    CountedField{"path", "path"},
    CountedField{"method", "coalesce(m_method, '')", "method"},
    CountedField{"location", "coalesce(m_location, '')", "location"},
    CountedField{"module", "coalesce(m_module, '')", "module"},
    CountedField{"country", "coalesce(m_country, '')", "country"},
    CountedField{"province", "coalesce(m_province, '')", "province"},
    CountedField{"city", "coalesce(m_city, '')", "city"},
    CountedField{"ua", "coalesce(m_user_agent, '')", "user_agent"},
    CountedField{"referer", "coalesce(m_referer, '')", "referer", true},
    CountedField{"node", "coalesce(m_node, '')", "node"},
    CountedField{"session", "coalesce(m_session, '')", "session", true},
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
// The same of all groups together.
constexpr std::string_view kAllActionCounts =
    "sum(count(*) FILTER (WHERE action = 'deny')) OVER (), sum(count(*) FILTER (WHERE action = 'monitor')) "
    "OVER (), "
    "sum(count(*) FILTER (WHERE action = 'allow')) OVER ()";
// date_part() is of doubles, exact for milliseconds, and costs less than extract().
constexpr std::string_view kMs = "(date_part('epoch', {}) * 1000)::bigint";

// How field number `i` is grouped and shown.
struct FieldSql {
  std::string columns;  // of a row: `f0`, and of addresses `g0`
  std::string key;      // names of these
  std::string value;
};
FieldSql field_sql(const CountedField& field, std::size_t i, bool covered) {
  FieldSql out{fmt::format("{} AS f{}", covered ? "'***'" : field.column, i), fmt::format("f{}", i),
               fmt::format("f{}", i)};
  if (field.name != "src") return out;
  out.columns += fmt::format(", {} AS g{}", kNoAddress, i);
  out.key += fmt::format(", g{}", i);
  out.value = fmt::format("coalesce(host(f{0}), g{0})", i);
  return out;
}

struct CountSql {
  const FleetWhere& where;
  const std::vector<const CountedField*>& fields;
  std::int64_t from_ms, bucket_ms;
  Mask mask;
  std::size_t values;
  bool one_bucket;  // everything lies in it
};

// The values of a field over `hits`: part, value, deny, monitor, allow, the last time, how many values there
// are.
std::string top_sql(const FieldSql& field, std::size_t i, std::string_view more, std::string_view hits,
                    std::size_t values) {
  return fmt::format(
      "SELECT {} AS part, {} AS value, {}, {}, count(*) OVER (){} FROM {} GROUP BY {} ORDER BY count(*) "
      "DESC, ({}) "
      "COLLATE \"C\" LIMIT {}",
      i, field.value, kActionCounts, fmt::format(kMs, "max(time)"), more, hits, field.key, field.value,
      values);
}

// As top_sql() of addresses with the sums of all groups, for which rows with an address are grouped by it
// alone: neither their records nor columns behind it are looked at. Materialized, or helpers of the server
// are given groups to sort, which takes longer.
std::string addresses_sql(const CountSql& of) {
  const std::string counts =
      "count(*) FILTER (WHERE action = 'deny') AS deny, count(*) FILTER (WHERE action = 'monitor') AS "
      "monitor, "
      "count(*) FILTER (WHERE action = 'allow') AS allow, count(*) AS size, max(time) AS last";
  return fmt::format(
      "WITH hits AS NOT MATERIALIZED (SELECT action, time, src_ip, record FROM {} WHERE {}), "
      "groups AS MATERIALIZED (SELECT src_ip, NULL::text AS said, {} FROM hits WHERE src_ip IS NOT NULL "
      "GROUP BY src_ip "
      "UNION ALL SELECT NULL, coalesce(record->>'src_ip', ''), {} FROM hits WHERE src_ip IS NULL GROUP BY "
      "2), "
      "sums AS (SELECT count(*) AS groups, sum(deny) AS deny, sum(monitor) AS monitor, sum(allow) AS allow "
      "FROM groups) "
      "SELECT 0 AS part, coalesce(host(src_ip), said) AS value, groups.deny, groups.monitor, groups.allow, "
      "{}, sums.* "
      "FROM groups CROSS JOIN sums ORDER BY size DESC, (coalesce(host(src_ip), said)) COLLATE \"C\" LIMIT {}",
      of.where.from(), of.where.text(), counts, counts, fmt::format(kMs, "last"), of.values);
}

std::string buckets_sql(const CountSql& of, std::string_view hits) {
  return fmt::format(
      "SELECT -1 AS part, bucket::text AS value, deny, monitor, allow, 0::bigint, 0::bigint FROM (SELECT ({} "
      "- {}) / {} AS "
      "bucket, count(*) FILTER (WHERE action = 'deny') AS deny, count(*) FILTER (WHERE action = 'monitor') "
      "AS monitor, "
      "count(*) FILTER (WHERE action = 'allow') AS allow FROM {} GROUP BY 1) AS buckets",
      fmt::format(kMs, "time"), of.from_ms, of.bucket_ms, hits);
}

// One statement, so that all figures are of one moment. Each part answers what top_sql() does; of buckets
// (part -1) the value is their number.
std::string count_sql(const CountSql& of) {
  if (of.one_bucket && of.fields[0]->name == "src") return addresses_sql(of);
  std::vector<std::string_view> members;
  std::vector<FieldSql> fields;
  members.reserve(of.fields.size()), fields.reserve(of.fields.size());
  std::string rows = "SELECT action, time";
  for (std::size_t i = 0; i < of.fields.size(); ++i) {
    const bool covered = of.mask == Mask::kViewer && of.fields[i]->masked;
    if (!covered && !of.fields[i]->member.empty()) members.push_back(of.fields[i]->member);
    fields.push_back(field_sql(*of.fields[i], i, covered));
    rows.append(", ").append(fields.back().columns);
  }
  fmt::format_to(std::back_inserter(rows), " FROM {} WHERE {}", of.where.from(members), of.where.text());
  const std::string hits = fmt::format("({}) AS hits", rows);
  if (fields.empty()) return buckets_sql(of, hits);
  if (of.one_bucket) return top_sql(fields[0], 0, fmt::format(", {}", kAllActionCounts), hits, of.values);
  std::string sql = fmt::format("WITH hits AS MATERIALIZED ({}) {}", rows, buckets_sql(of, "hits"));
  for (std::size_t i = 0; i < fields.size(); ++i)
    fmt::format_to(std::back_inserter(sql), " UNION ALL ({})", top_sql(fields[i], i, "", "hits", of.values));
  return sql;
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
      fmt::format("SELECT {} FROM {} WHERE {} ORDER BY day DESC, time DESC, event_id DESC LIMIT {}",
                  kEventColumns, where.from(), where.text(), limit),
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
  // Then the groups of one field are all that there is to count.
  const bool one_bucket =
      counted.size() == 1 && values > 0 &&
      (bucket_ms == INT64_MAX || (filter.from_ms && filter.to_ms && *filter.to_ms - from_ms <= bucket_ms));
  const auto answer = connection_.run(
      count_sql({where, counted, from_ms, bucket_ms, filter.mask, values, one_bucket}), where.parameters());
  if (!answer) return tl::unexpected(answer.error());
  FleetCounts out;
  out.tops.resize(fields.size());
  const auto add_bucket = [&](std::int64_t number, int row, int column) {
    out.buckets.push_back({from_ms + number * bucket_ms, count_at(*answer, row, column),
                           count_at(*answer, row, column + 1), count_at(*answer, row, column + 2)});
    out.total += out.buckets.back().deny + out.buckets.back().monitor + out.buckets.back().allow;
  };
  if (one_bucket && PQntuples(answer->get()) > 0) add_bucket(0, 0, 7);
  for (int row = 0; row < PQntuples(answer->get()); ++row) {
    const std::int64_t part = ms_at(*answer, row, 0);
    if (part < 0) {
      add_bucket(ms_at(*answer, row, 1), row, 2);
      continue;
    }
    FleetTop& top = out.tops[static_cast<std::size_t>(part)];
    top.distinct = count_at(*answer, row, 6);
    top.values.push_back({PQgetvalue(answer->get(), row, 1), count_at(*answer, row, 2),
                          count_at(*answer, row, 3), count_at(*answer, row, 4), ms_at(*answer, row, 5)});
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
