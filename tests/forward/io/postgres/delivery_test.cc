// Events into a real PostgreSQL that goes and comes, refuses rows, and is cut off in the middle of a
// transaction.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/forward/io/postgres/cutting_proxy.h"
#include "tests/forward/io/postgres/postgres_rig.h"

namespace wafd::forward {
namespace {

using test::CuttingProxy;
using test::postgres_target;
using test::PostgresRig;
using test::RealPostgres;
using test::wait_until;

TargetSettings plain_target(std::uint16_t port) {
  TargetSettings t = postgres_target(port);
  t.tls.enabled = false;
  return t;
}

TEST(PostgresDelivery, EveryEventIsThereOnceWithItsColumnsAndWhatIsBesideIt) {
  const RealPostgres server;
  PostgresRig rig;
  TargetSettings t = plain_target(server.port);
  t.streams = {"event", "audit"};
  t.content = Content::kCef;  // a database keeps the record
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  EXPECT_EQ(rig.now().connected_to, "127.0.0.1:" + std::to_string(server.port));
  rig.append_many(3000);
  rig.delivery->audit(R"({"action":"target.change","who":"ann\u0000"})");
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.compare(server), "");
  const TargetStatus s = rig.now();
  EXPECT_EQ(s.resent + s.rejected + s.errors + s.reconnects + s.truncated, 0u);
  // Columns are what the record says.
  EXPECT_EQ(
      server.one("SELECT count(*) FROM wafd_events WHERE action = record->>'action' AND attack_type = "
                 "record->>'attack_type' AND risk = record->>'risk_level' AND host(src_ip) = "
                 "record->>'src_ip' AND host = record->>'host' AND path = record->>'urlpath' AND rule = "
                 "record->>'rule_id' AND site = record->>'site_uuid' AND day = (time AT TIME ZONE "
                 "'UTC')::date AND node = 'node-1' AND seq > 0 AND detail IS NOT NULL AND status IS NULL"),
      "3000");
  EXPECT_EQ(
      server.one("SELECT DISTINCT count(*) FROM wafd_events, jsonb_object_keys(record) GROUP BY event_id"),
      "58");
  ASSERT_TRUE(wait_until([&] { return server.one("SELECT count(*) FROM wafd_notices") == "1"; }));
  EXPECT_EQ(server.one("SELECT kind || ' ' || (body->>'who') FROM wafd_notices"), "audit ann\\x00");
  // A week ahead is there already.
  EXPECT_EQ(server.one("SELECT count(*) FROM pg_inherits WHERE inhparent = 'wafd_events'::regclass"), "9");
}

// The columns of an event's response, as the database has them.
std::string response_of(const RealPostgres& server, const EventId& id) {
  return server.one(
      "SELECT coalesce(status::text, '-') || ' ' || coalesce(response_size::text, '-') || ' ' || "
      "coalesce(record->>'rsp_start_time', '-') || ' ' || (record->>'resp_reason_phrase') FROM wafd_events "
      "WHERE event_id = '" +
      id.text() + "'");
}

TEST(PostgresDelivery, AReportThatComesLateIsAddedToTheRow) {
  RealPostgres server;
  PostgresRig rig;
  const TargetSettings t = plain_target(server.port);
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  const EventId late = rig.announced(), early = rig.announced(), never = rig.announced();
  ASSERT_TRUE(rig.all_settled());
  EXPECT_EQ(response_of(server, late), "- - - ");
  rig.report(late, 503, 77, "Tab\tand \\ \"quote\"");
  const std::string said = "503 77 1760000000001 Tab\tand \\ \"quote\"";
  ASSERT_TRUE(wait_until([&] { return response_of(server, late) == said; })) << response_of(server, late);
  rig.report(early, 0, 0);  // says little
  ASSERT_TRUE(wait_until([&] { return response_of(server, early) == "- 0 1760000000001 "; }));
  rig.report(early, 404, 9);  // and then more
  ASSERT_TRUE(wait_until([&] { return response_of(server, early) == "404 9 1760000000001 "; }));
  // With the database away: what was sent before, and what comes with its report.
  server.stop(SIGKILL);
  rig.report(never, 200, 5);
  const EventId away = rig.announced();
  rig.report(away, 201, 6);
  server.start();
  ASSERT_TRUE(wait_until([&] { return response_of(server, never) == "200 5 1760000000001 "; }));
  ASSERT_TRUE(rig.all_settled());
  EXPECT_EQ(response_of(server, away), "201 6 1760000000001 ");
  // And with the node away in between: it looks again behind its cursor.
  const EventId over_restart = rig.announced();
  ASSERT_TRUE(rig.all_settled());
  rig.close();
  rig.open();
  rig.report(over_restart, 500, 7);
  rig.delivery->apply({t});
  ASSERT_TRUE(wait_until([&] { return response_of(server, over_restart) == "500 7 1760000000001 "; }))
      << rig.now().last_error;
  EXPECT_EQ(rig.compare(server), "");
  EXPECT_EQ(
      server.one("SELECT DISTINCT count(*) FROM wafd_events, jsonb_object_keys(record) GROUP BY event_id"),
      "58");
}

TEST(PostgresDelivery, KilledUnderLoadEveryEventIsThereOnce) {
  const char* given = std::getenv("WAFD_POSTGRES_KILLS");
  const int kills = given ? std::atoi(given) : 5;
  RealPostgres server;
  PostgresRig rig(static_cast<std::uint64_t>(64 + 4 * kills) << 20);  // the ring holds what is appended
  rig.delivery->apply({plain_target(server.port)});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  for (int kill = 0; kill < kills; ++kill) {
    rig.append_many(400);
    server.stop(kill % 3 == 2 ? SIGINT : SIGKILL);
    rig.append_many(100);
    server.start();
    rig.append_many(400);
    // "up" alone may still be said of the connection that was killed.
    ASSERT_TRUE(wait_until([&] { return rig.now().reconnects > static_cast<std::uint64_t>(kill); }))
        << rig.now().last_error;
    ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  }
  ASSERT_TRUE(rig.all_settled(120'000)) << rig.now().last_error;
  EXPECT_EQ(rig.compare(server), "");
  EXPECT_EQ(rig.now().lost, 0u);
  EXPECT_EQ(rig.now().rejected, 0u);
  EXPECT_GE(rig.now().reconnects, static_cast<std::uint64_t>(kills));
}

TEST(PostgresDelivery, CutInTheMiddleOfCopyAndOfCommitEveryEventIsThereOnce) {
  const RealPostgres server;
  CuttingProxy proxy(server.port);
  PostgresRig rig;
  rig.delivery->apply({plain_target(proxy.port())});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  const CuttingProxy::Cut kCuts[] = {CuttingProxy::Cut::kInCopy, CuttingProxy::Cut::kBeforeCommit,
                                     CuttingProxy::Cut::kBeforeAnswer};
  int cuts = 0;
  for (int round = 0; round < 2; ++round)
    for (const CuttingProxy::Cut cut : kCuts) {
      proxy.arm(cut);
      rig.append_many(300);
      ASSERT_TRUE(wait_until([&] { return proxy.cuts() == cuts + 1; })) << "nothing was cut";
      ++cuts;
      ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
      EXPECT_EQ(rig.compare(server), "") << "cut " << cuts;
    }
  EXPECT_EQ(rig.now().lost + rig.now().rejected, 0u);
  EXPECT_GT(rig.now().resent, 0u);
}

TEST(PostgresDelivery, ARowThatIsRefusedIsPutAsideAlone) {
  const RealPostgres server;
  PostgresRig rig;
  TargetSettings t = plain_target(server.port);
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  rig.append_many(1);
  ASSERT_TRUE(rig.all_settled());
  const std::uint64_t first = rig.ring->end();
  server.sql("ALTER TABLE wafd_events ADD CONSTRAINT picky CHECK (seq <> ALL ('{" +
             std::to_string(first + 5) + "," + std::to_string(first + 150) + "}'))");
  rig.append_many(200);
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.now().rejected, 2u);
  EXPECT_EQ(rig.now().acknowledged, 199u);
  EXPECT_NE(rig.now().last_error.find("picky"), std::string::npos) << rig.now().last_error;
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "199");
  // One that refuses everything loses nothing.
  server.sql("ALTER TABLE wafd_events ADD CONSTRAINT closed CHECK (false) NOT VALID");
  const std::uint64_t before = rig.ring->end();
  rig.append_many(50);
  ASSERT_TRUE(wait_until([&] { return rig.now().last_error.find("closed") != std::string::npos; }));
  ASSERT_TRUE(wait_until([&] { return rig.now().reconnects > 0 || rig.now().state != "up"; }));
  EXPECT_EQ(rig.now().cursor, before);
  server.sql("ALTER TABLE wafd_events DROP CONSTRAINT closed");
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.now().rejected, 2u);
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "249");
}

TEST(PostgresDelivery, AFullDiskIsWaitedFor) {
  const RealPostgres server("", "", 24);
  server.sql("CREATE DATABASE small TABLESPACE small");
  PostgresRig rig;
  TargetSettings t = plain_target(server.port);
  t.postgresql.database = "small";
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  rig.append_many(100);
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  // The disk is filled up by another table until only some rows fit.
  EXPECT_ANY_THROW(
      server.sql("CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 100000)", "small"));
  server.sql("CREATE TABLE filler (words text)", "small");
  for (int rows = 8192; rows >= 8; rows /= 2) {
    try {
      server.sql(
          "INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, " + std::to_string(rows) + ")",
          "small");
    } catch (const std::runtime_error&) {
      continue;
    }
  }
  rig.append_many(2000);
  ASSERT_TRUE(wait_until([&] { return rig.now().last_error.find("No space left") != std::string::npos; }))
      << rig.now().last_error;
  EXPECT_LT(rig.now().cursor, rig.ring->end());
  server.sql("DROP TABLE filler", "small");
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.compare(server, "small"), "");
  EXPECT_EQ(rig.now().lost + rig.now().rejected, 0u);
}

TEST(PostgresDelivery, TwoNodesOfOneNameWithClocksAnHourApart) {
  const RealPostgres server;
  PostgresRig one, other;
  one.delivery->apply({plain_target(server.port)});
  other.delivery->apply({plain_target(server.port)});
  for (int i = 0; i < 300; ++i) {
    one.append_many(1);
    other.append_at(other.clock.unix_us() - 3'600'000'000);
  }
  ASSERT_TRUE(one.all_settled()) << one.now().last_error;
  ASSERT_TRUE(other.all_settled()) << other.now().last_error;
  EXPECT_EQ(server.one("SELECT count(*) || ' ' || count(DISTINCT node) FROM wafd_events"), "600 1");
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events WHERE time < now() - interval '59 minutes'"), "300");
  one.ids.insert(one.ids.end(), other.ids.begin(), other.ids.end());
  EXPECT_EQ(one.compare(server), "");
}

TEST(PostgresDelivery, WhatTheRingOvertookIsTold) {
  RealPostgres server;
  PostgresRig rig(1 << 20);
  rig.delivery->apply({plain_target(server.port)});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  rig.append_many(10);
  ASSERT_TRUE(rig.all_settled());
  server.stop(SIGKILL);
  rig.append_many(1000);  // more than the ring holds
  server.start();
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_GT(rig.now().lost, 0u);
  EXPECT_EQ(server.one("SELECT DISTINCT kind || ' ' || node FROM wafd_notices"), "gap node-1");
  EXPECT_EQ(server.one("SELECT (SELECT count(*) FROM wafd_events) + (SELECT sum((body->>'count')::int) FROM "
                       "wafd_notices)"),
            "1010");
}

TEST(PostgresDelivery, AServerThatStandsStillHoldsUpNobody) {
  const RealPostgres server;
  PostgresRig rig;
  rig.stop_timeout_ms = 500;
  rig.close();
  rig.open();
  rig.delivery->apply({plain_target(server.port)});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  server.freeze(true);
  rig.append_many(200);
  ASSERT_TRUE(wait_until([&] { return rig.now().sent == 200; }));
  EXPECT_EQ(rig.now().acknowledged, 0u);
  rig.delivery->stop();
  EXPECT_TRUE(rig.delivery->ended()) << "the thread ends though the server does not answer";
  server.freeze(false);
  rig.close();
  rig.open();
  rig.delivery->apply({plain_target(server.port)});
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.compare(server), "");
}

}  // namespace
}  // namespace wafd::forward
