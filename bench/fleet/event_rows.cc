#include "bench/fleet/event_rows.h"

#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "bench/forward/postgres_kit.h"
#include "forward/io/postgres/copy_row.h"

namespace wafd::bench {
namespace {

// What both ways to make a day begin and end with. Arguments: the day's table, its date, the next one. The
// table is what wafd_make_days() makes, but for the indexes, which come with ATTACH.
constexpr std::string_view kBegin = R"(
SET TIME ZONE 'UTC';
SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals);
SET maintenance_work_mem = '256MB';
CREATE UNLOGGED TABLE {name} (LIKE wafd_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS) WITH (toast_tuple_target = 128);
INSERT INTO {name} (day, event_id, time, node, seq, site, action, attack_type, risk, src_ip, host, path, rule, record) )";
constexpr std::string_view kEnd = R"(;
ALTER TABLE wafd_events ATTACH PARTITION {name} FOR VALUES FROM ('{date}') TO ('{next}'))";

// Further: kFirstMs, the number of rows, a record.
constexpr std::string_view kFirstDay = R"(
SELECT '{date}'::date, gen_random_uuid(), t, node, i, i % 20, (ARRAY['deny', 'monitor', 'deny', 'allow'])[1 + i % 4],
       (ARRAY['sqli', 'xss', 'cmd_injection', 'path_traversal'])[1 + (i / 7) % 4],
       (ARRAY['high', 'medium', 'low'])[1 + i % 3], src::inet, host, path, 'm_sqli/' || i % 300,
       common || jsonb_build_object('src_ip', src, 'node', node, 'host', host, 'urlpath', path, 'user_agent',
         md5((i % 5000)::text), 'body', 'q=' || repeat(md5('a' || i) || md5('b' || i) || md5('c' || i) || md5('d' || i) ||
           md5('e' || i) || md5('f' || i) || md5('g' || i) || md5('h' || i) || md5('i' || i) || md5('j' || i), 2) ||
           CASE WHEN i % 10000 = 77 THEN ' zanzibar' ELSE '' END)
FROM (SELECT i, 'epoch'::timestamptz + ({first_ms} + i * 86400000::bigint / {rows}) * interval '1 millisecond' AS t,
        'node-' || i % 50 AS node, 'shop-' || i % 20 || '.example' AS host, '/p/' || i % 1000 AS path,
        '10.' || (i * 7919 % 50000) / 250 || '.' || (i * 7919 % 50000) % 250 || '.1' AS src, $${record}$$::jsonb AS common
      FROM generate_series(0::bigint, {rows} - 1) AS i) AS made)";
// Further: the first day's table, days behind it.
constexpr std::string_view kOtherDay = R"(
SELECT '{date}'::date, gen_random_uuid(), time + {behind} * interval '1 day', node, seq, site, action, attack_type, risk,
       src_ip, host, path, rule, record FROM {first})";

std::string table_of(int day) {
  std::string name = "wafd_events_";
  for (const char c : forward::date_text(forward::day_of(kFirstMs + day * kDayMs)))
    if (c != '-') name += c;
  return name;
}

std::string day_sql(int day, const std::string& rows) {
  const std::int64_t number = forward::day_of(kFirstMs + day * kDayMs);
  return fmt::format(fmt::runtime(std::string(kBegin) + "{rows}" + std::string(kEnd)),
                     fmt::arg("name", table_of(day)), fmt::arg("date", forward::date_text(number)),
                     fmt::arg("next", forward::date_text(number + 1)), fmt::arg("rows", rows));
}

std::string first_day(std::uint64_t rows) {
  kit::SystemRandom random;
  forward::ZoneTime utc;
  const std::string record = ordinary_record(EventId::make(random), kFirstMs * 1000, utc).json;
  return day_sql(
      0, fmt::format(kFirstDay, fmt::arg("date", forward::date_text(forward::day_of(kFirstMs))),
                     fmt::arg("first_ms", kFirstMs), fmt::arg("rows", rows), fmt::arg("record", record)));
}

std::string other_day(int day) {
  return day_sql(
      day,
      fmt::format(kOtherDay, fmt::arg("date", forward::date_text(forward::day_of(kFirstMs + day * kDayMs))),
                  fmt::arg("behind", day), fmt::arg("first", table_of(0))));
}

}  // namespace

void fill(const test::RealPostgres& server, std::uint64_t rows, int days) {
  const double begin = now_s();
  const std::uint64_t each = rows / static_cast<std::uint64_t>(days);
  server.sql(first_day(each));
  std::atomic<int> next = 1;
  std::string failed[2];
  const auto work = [&](std::string& why) {
    try {
      for (int day = next++; day < days; day = next++) server.sql(other_day(day));
    } catch (const std::exception& error) {
      why = error.what();
    }
  };
  std::thread other([&] { work(failed[1]); });
  work(failed[0]);
  other.join();
  if (!(failed[0] + failed[1]).empty()) throw std::runtime_error(failed[0] + failed[1]);
  server.sql("VACUUM ANALYZE wafd_events");
  if (const std::string there = server.one("SELECT count(*) FROM wafd_events");
      there != std::to_string(each * static_cast<std::uint64_t>(days)))
    throw std::runtime_error("filled: " + there);
  const std::string size_of =
      "SELECT pg_size_pretty(sum({}(inhrelid))) FROM pg_inherits WHERE inhparent = "
      "'wafd_events'::regclass";
  fmt::print(
      "fill: {} rows over {} days in {:.0f} s, {} with indexes, {} of them the rows, {} without what stands "
      "beside them\n",
      rows, days, now_s() - begin, server.one(fmt::format(fmt::runtime(size_of), "pg_total_relation_size")),
      server.one(fmt::format(fmt::runtime(size_of), "pg_table_size")),
      server.one(fmt::format(fmt::runtime(size_of), "pg_relation_size")));
  std::fflush(stdout);
}

}  // namespace wafd::bench
