// A delivery loop that writes into a real PostgreSQL.
#pragma once

#include <future>
#include <string>
#include <vector>

#include "tests/forward/io/delivery_help.h"
#include "tests/support/real_postgres.h"

namespace wafd::test {

inline forward::TargetSettings postgres_target(std::uint16_t port) {
  forward::TargetSettings t = DeliveryRig::target("pg-target", forward::Transport::kPostgresql,
                                                  *Endpoint::parse("127.0.0.1:" + std::to_string(port)));
  t.max_message_bytes = 1 << 20;
  t.postgresql.database = "postgres";
  t.postgresql.user = RealPostgres::kOwner;
  t.postgresql.password = "secret";
  return t;
}

class PostgresRig : public DeliveryRig {
 public:
  // Comes back soon, however often it was thrown out before.
  explicit PostgresRig(std::uint64_t ring_bytes = 64 << 20) : DeliveryRig(ring_bytes) {
    close();
    adjust = [](forward::DeliveryParts& parts) { parts.machine.retry_max_us = 300'000; };
    open();
  }

  forward::TargetStatus now() { return status("pg-target"); }
  void append_many(int count) {
    for (int i = 0; i < count; ++i) ids.push_back(append());
  }
  void append_at(std::int64_t unix_us) {
    forward::ZoneTime utc;
    const EventId id = EventId::make(random);
    EXPECT_TRUE(ring->append(forward::sample_event(id, "node-1", unix_us, utc)));
    ids.push_back(id.text());
  }
  // An event whose gateway may report on it, and the report.
  EventId announced() {
    const EventId id = EventId::make(random);
    forward::ZoneTime utc;
    EventRecord record = forward::sample_event(id, "node-1", clock.unix_us(), utc);
    record.report_expected = true;
    EXPECT_TRUE(ring->append(record));
    ids.push_back(id.text());
    return id;
  }
  void report(const EventId& id, std::uint16_t status, std::uint64_t size, const std::string& phrase = "") {
    ResponseReport r;
    r.id = id;
    r.time_ms = clock.unix_us() / 1000;
    r.rsp_start_time_ms = 1'760'000'000'001;
    r.status = status;
    r.size = size;
    r.reason_phrase = phrase;
    EXPECT_TRUE(ring->amend(r));
  }
  bool all_settled(std::int64_t deadline_ms = 60'000) {
    return wait_until([&] { return now().cursor == ring->end(); }, deadline_ms);
  }
  // Empty: every event that was appended is in the table exactly once, and nothing else.
  std::string compare(const RealPostgres& server, const std::string& database = "postgres") const {
    auto want = ids;
    std::sort(want.begin(), want.end());
    const auto got =
        server.sql("SELECT replace(event_id::text, '-', '') FROM wafd_events ORDER BY 1", database);
    if (got == want) return "";
    std::vector<std::string> missing;
    std::set_difference(want.begin(), want.end(), got.begin(), got.end(), std::back_inserter(missing));
    return std::to_string(want.size()) + " appended, " + std::to_string(got.size()) + " rows, " +
           std::to_string(missing.size()) + " missing";
  }
  // "verdict: stage+ stage- ...; text"
  std::string tested(const forward::TargetSettings& target,
                     forward::TestKind kind = forward::TestKind::kConnectivity) {
    std::promise<forward::TestResult> promise;
    delivery->test(target, kind, [&](forward::TestResult r) { promise.set_value(std::move(r)); });
    const forward::TestResult r = promise.get_future().get();
    std::string out = r.verdict + ":";
    for (const auto& stage : r.stages) out += " " + stage.name + (stage.ok ? "+" : "-");
    return out + "; " + r.text;
  }

  std::vector<std::string> ids;
};

}  // namespace wafd::test
