#include "bench/fleet/event_rows.h"

#include <array>
#include <atomic>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "bench/forward/postgres_kit.h"
#include "detect/core/record_cut.h"
#include "forward/io/postgres/copy_row.h"

namespace wafd::bench {
namespace {

// What a day begins and ends with. Arguments: its table, its date, the next one. The table is what
// wafd_make_days() makes, but for the indexes, which come with ATTACH.
constexpr std::string_view kBegin = R"(
SET TIME ZONE 'UTC';
SELECT set_config(name, 'lz4', false) FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals);
SET maintenance_work_mem = '256MB';
CREATE UNLOGGED TABLE {name} (LIKE wafd_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) WITH (toast_tuple_target = 128);
INSERT INTO {name} (day, event_id, time, node, seq, site, action, attack_type, risk, src_ip, host, path, rule, record, trigrams) )";
constexpr std::string_view kEnd = R"(;
ALTER TABLE wafd_events ATTACH PARTITION {name} FOR VALUES FROM ('{date}') TO ('{next}'))";

constexpr std::string_view kFirstDay = R"(
SELECT day, id::uuid, time, node, seq, site, action, attack_type, risk, src_ip, record->>'host', record->>'urlpath', rule, record,
       trigrams FROM wafd_first)";
// Further: the first day's table, days behind it.
constexpr std::string_view kOtherDay = R"(
SELECT '{date}'::date, gen_random_uuid(), time + {behind} * interval '1 day', node, seq, site, action, attack_type, risk,
       src_ip, host, path, rule, record, trigrams FROM {first})";

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

// Rows as a node writes them.
class RowMaker {
 public:
  explicit RowMaker(std::uint64_t rows) : rows_(rows) {
    kit::SystemRandom random;
    forward::ZoneTime utc;
    json_ = ordinary_record(EventId::make(random), kFirstMs * 1000, utc).json;
    if (!scan_record(json_, values_)) throw std::runtime_error("the record cannot be read");
  }
  std::string row(std::uint64_t i) {
    const std::uint64_t address = i * 7919 % 50'000;
    const std::string src = fmt::format("10.{}.{}.1", address / 250, address % 250);
    const std::string node = fmt::format("node-{}", i % 50), rule = fmt::format("m_sqli/{}", i % 300);
    const std::string site = std::to_string(i % 20);
    const std::string json =
        with({{"src_ip", src},
              {"host", fmt::format("shop-{}.example", i % 20)},
              {"user_agent", fmt::format("{:032x}", (i % 5000 + 1) * 0x9e3779b97f4a7c15)},
              {"node", node},
              {"urlpath", fmt::format("/p/{}", i % 1000)},
              {"body", "q=" + digits() + (i % 10'000 == 77 ? " zanzibar" : "")}});
    forward::RecordView record;
    record.seq = i;
    record.time_ms = kFirstMs + static_cast<std::int64_t>(i) * kDayMs / static_cast<std::int64_t>(rows_);
    record.id = EventId::make(random_);
    constexpr std::array kActions{Action::kDeny, Action::kMonitor, Action::kDeny, Action::kAllow};
    constexpr std::array kTypes{AttackType::kSqli, AttackType::kXss, AttackType::kCmdInjection,
                                AttackType::kPathTraversal};
    record.action = kActions[i % 4], record.attack_type = kTypes[i / 7 % 4];
    record.risk = static_cast<Risk>(i % 3);
    record.src_ip = src, record.site_uuid = site, record.rule_id = rule;
    std::string out;
    forward::append_event_row(record, json, false, node, out);
    return out;
  }

 private:
  // The record with these values for its members, which stand in this order there.
  std::string with(const std::vector<std::pair<std::string_view, std::string>>& members) const {
    std::string out;
    const char* from = json_.data();
    for (const auto& [name, value] : members) {
      const std::string_view old = values_[member_number(name) - 1];
      out.append(from, old.data()).append("\"").append(value).append("\"");
      from = old.data() + old.size();
    }
    return out.append(from, json_.data() + json_.size());
  }
  // 640 hex digits, half of them twice.
  std::string digits() {
    std::string half;
    for (int i = 0; i < 20; ++i) half += fmt::format("{:016x}", numbers_());
    return half + half;
  }

  std::uint64_t rows_;
  kit::SystemRandom random_;
  std::mt19937_64 numbers_{1};
  std::string json_;
  RecordValues values_{};
};

void make_first_day(const test::RealPostgres& server, std::uint64_t rows) {
  server.sql(
      fmt::format("ALTER DATABASE postgres SET default_toast_compression = lz4; CREATE UNLOGGED TABLE "
                  "wafd_first ({}) WITH ({})",
                  forward::kStagingColumns, forward::kStagingOptions));
  CopySession session(server.port);
  RowMaker maker(rows);
  std::vector<std::string> batch;
  batch.reserve(kRowsATransaction);
  for (std::uint64_t i = 0; i < rows; ++i) {
    batch.push_back(maker.row(i));
    if (batch.size() < kRowsATransaction && i + 1 < rows) continue;
    session.copy_in("COPY wafd_first FROM STDIN", batch);
    batch.clear();
  }
  server.sql(day_sql(0, std::string(kFirstDay)));
  server.sql("DROP TABLE wafd_first");
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
  make_first_day(server, each);
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
