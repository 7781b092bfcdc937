// Messages for people about a database: from the test of a target, stage by stage, and from a target at work.
#include <gtest/gtest.h>

#include "forward/io/fleet_command.h"
#include "forward/io/postgres/migrations.h"
#include "forward/io/send_test_command.h"
#include "ingest/io/kit/tls.h"
#include "tests/forward/io/postgres/cutting_proxy.h"
#include "tests/forward/io/postgres/postgres_rig.h"

namespace wafd::forward {
namespace {

using test::CuttingProxy;
using test::postgres_target;
using test::PostgresRig;
using test::RealPostgres;
using test::wait_until;

TEST(PostgresTester, SaysInClearWordsWhatIsWrong) {
  const RealPostgres server;
  server.sql("CREATE ROLE guest LOGIN PASSWORD 'secret'; CREATE ROLE reader LOGIN PASSWORD 'secret'");
  server.sql("ALTER ROLE reader SET default_transaction_read_only = on");
  PostgresRig rig;
  TargetSettings t = postgres_target(server.port);
  t.tls.enabled = true;
  EXPECT_EQ(rig.tested(t),
            "failed: resolve+ connect+ tls-; Failed at tls: connection to server at \"127.0.0.1\", port " +
                std::to_string(server.port) + " failed: server does not support SSL, but SSL was required.");
  t.tls.enabled = false;
  EXPECT_EQ(rig.tested(t),
            "acknowledged: resolve+ connect+ login+ schema+ write+; The database takes the row. The tables "
            "are made with "
            "the first delivery; for this test they were made and taken back with it.");
  EXPECT_EQ(server.one("SELECT to_regclass('wafd_schema') IS NULL"), "t") << "a test leaves nothing behind";
  TargetSettings guest = t;
  guest.postgresql.user = "guest";
  EXPECT_EQ(rig.tested(guest),
            "failed: resolve+ connect+ login+ schema-; Failed at schema: the tables of wafd are missing, and "
            "the user "
            "may not make them (let their owner run `wafd fleet init`, or grant CREATE on the schema).");

  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  EXPECT_EQ(rig.tested(t),
            "acknowledged: resolve+ connect+ login+ schema+ write+; Committed by the database.");
  EXPECT_EQ(server.one("SELECT kind || ' ' || (body->>'text') FROM wafd_notices"),
            "test Connectivity test requested.");
  EXPECT_EQ(rig.tested(t, TestKind::kSample),
            "acknowledged: resolve+ connect+ login+ schema+ write+; Committed by the database.");
  EXPECT_EQ(
      server.one(
          "SELECT count(*) FROM wafd_events WHERE record->>'event_id' = replace(event_id::text, '-', '')"),
      "1");

  TargetSettings wrong = t;
  wrong.postgresql.password = "guessed";
  EXPECT_EQ(
      rig.tested(wrong),
      "failed: resolve+ connect+ login-; Failed at login: connection to server at \"127.0.0.1\", port " +
          std::to_string(server.port) +
          " failed: FATAL:  password authentication failed for user \"owner\" (wrong password, or no such "
          "user).");
  wrong.postgresql.password.clear();
  EXPECT_NE(rig.tested(wrong).find("(the server asks for a password)"), std::string::npos)
      << rig.tested(wrong);
  wrong = t;
  wrong.postgresql.database = "nowhere";
  EXPECT_NE(rig.tested(wrong).find("(there is no such database on the server)"), std::string::npos);
  wrong = t;
  wrong.postgresql.user = "reader";
  EXPECT_EQ(
      rig.tested(wrong),
      "failed: resolve+ connect+ login+ schema-; Failed at schema: the server takes no writes (a read-only "
      "replica: the primary is elsewhere).");
  EXPECT_NE(rig.tested(guest).find("permission denied"), std::string::npos) << rig.tested(guest);
}

TEST(PostgresTester, TheCommandTakesTheUrlOfOtherPrograms) {
  const RealPostgres server;
  const auto run = [&](const std::string& url) {
    CLI::App app{"wafd", "wafd"};
    int status = -1;
    add_send_test_command(app, status, [](const std::string&) -> Result<SendTestSetup> {
      return SendTestSetup{"node-9", "UTC", "/nonexistent"};
    });
    app.parse("send-test --to " + url);
    return status;
  };
  const std::string place = "@127.0.0.1:" + std::to_string(server.port) + "/postgres";
  EXPECT_EQ(run("postgresql://owner:secret" + place + "?sslmode=disable"), 0);
  EXPECT_EQ(run("postgresql://owner:guessed" + place + "?sslmode=disable"), 1);
  EXPECT_EQ(run("postgresql://owner:secret" + place), 1) << "encrypted unless somebody says otherwise";
  EXPECT_EQ(run("postgresql://owner:secret" + place + "?sslmode=maybe"), 2);
  EXPECT_EQ(run("postgresql://127.0.0.1"), 2);
}

TEST(PostgresTester, AServerThatIsTooOldIsSaid) {
  const RealPostgres server;
  CuttingProxy proxy(server.port);
  proxy.pretend_version("12");
  PostgresRig rig;
  TargetSettings t = postgres_target(proxy.port());
  t.tls.enabled = false;
  const std::string said = rig.tested(t);
  EXPECT_TRUE(said.starts_with(
      "failed: resolve+ connect+ login+ schema-; Failed at schema: the server is PostgreSQL 12."))
      << said;
  EXPECT_TRUE(said.ends_with(": too old (13 or newer is needed).")) << said;
  rig.delivery->apply({t});
  rig.append_many(3);
  ASSERT_TRUE(wait_until([&] { return rig.now().last_error.find("too old") != std::string::npos; }));
  EXPECT_EQ(server.one("SELECT to_regclass('wafd_schema') IS NULL"), "t") << "nothing was made there";
  // Tables of a later wafd that earlier ones must not write to.
  TargetSettings direct = postgres_target(server.port);
  direct.tls.enabled = false;
  rig.delivery->apply({direct});
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  server.sql("INSERT INTO wafd_schema VALUES (99, 99)");
  server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'wafd'");
  rig.append_many(3);
  ASSERT_TRUE(wait_until([&] {
    return rig.now().last_error.find("update wafd on this node") != std::string::npos;
  })) << rig.now().last_error;
  server.sql("DELETE FROM wafd_schema WHERE version = 99");
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.compare(server), "");
}

TEST(PostgresTester, TheFleetsCommandMakesTablesAndPrintsRoles) {
  const RealPostgres server;
  const auto run = [&](const std::string& words) {
    CLI::App app{"wafd", "wafd"};
    int status = -1;
    add_fleet_command(app, status);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    app.parse("fleet " + words);
    const std::string said = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return std::to_string(status) + " " + said;
  };
  const std::string place = "127.0.0.1:" + std::to_string(server.port);
  const std::string url = "postgresql://owner@" + place + "/postgres?sslmode=disable";
  EXPECT_NE(run("init " + url).find("the server asks for a password"), std::string::npos);
  const std::string newest = std::to_string(migrations().back().version);
  const std::string made = run("init --password secret " + url);
  EXPECT_TRUE(made.starts_with("0 " + place + ": PostgreSQL ")) << made;
  EXPECT_NE(made.find(", tables of version " + newest + ", made now\n"), std::string::npos) << made;
  EXPECT_NE(run("init --password secret " + url).find(", as they were\n"), std::string::npos);
  EXPECT_EQ(run("init udp://127.0.0.1"),
            "2 wafd fleet: expected postgresql://USER@HOST:PORT/DATABASE?sslmode=MODE\n");
  const std::string encrypted = run("init --password secret postgresql://owner@" + place + "/postgres");
  EXPECT_TRUE(encrypted.starts_with("1 wafd fleet: ")) << "verified unless somebody says otherwise";
  // Events of more than one node, as who may only read.
  PostgresRig rig;
  TargetSettings t = postgres_target(server.port);
  t.tls.enabled = false;
  rig.delivery->apply({t});
  rig.append_many(3);
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  const std::string listed = run("events --password secret " + url + " type:sqli");
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 3) << listed;
  EXPECT_NE(listed.find("\nnode-1 20"), std::string::npos) << listed;
  EXPECT_NE(listed.find(rig.ids[2]), std::string::npos) << listed;
  server.sql("ALTER ROLE owner SET log_statement = 'all'");
  EXPECT_EQ(run("events --password secret --top node " + url), "0          3 node-1\n");
  const std::string asked = server.log("server.log");
  EXPECT_NE(asked.find("SELECT 0 AS part"), std::string::npos) << asked;
  EXPECT_EQ(asked.find(" AS buckets"), std::string::npos)
      << "the server makes no histogram that nobody is shown";
  server.sql("ALTER ROLE owner RESET log_statement");
  EXPECT_EQ(run("events --password secret --top nothing " + url).substr(0, 40),
            "1 wafd fleet: expected a field of type, ");
  EXPECT_EQ(run("events --password secret " + url + " type:"),
            "2 wafd: query, at character 6: expected a value behind the colon\n");
  EXPECT_EQ(run("events --password secret " + url + " node:other"), "0 ");
  EXPECT_EQ(run("roles --node \"a b\"").substr(0, 20), "2 wafd fleet roles: ");
  const std::string roles = run("roles --node fleet_node");
  ASSERT_TRUE(roles.starts_with("0 -- ")) << roles;
  server.sql(roles.substr(2));
  EXPECT_EQ(server.one("SELECT has_table_privilege('fleet_node', 'wafd_events', 'INSERT') AND NOT "
                       "has_table_privilege('fleet_node', 'wafd_events', 'SELECT')"),
            "t");
}

TEST(PostgresTester, TlsIsVerifiedByTheTargetsOwnAuthorityAndName) {
  PostgresRig rig;
  const auto certificate =
      kit::make_self_signed({"db.example", "127.0.0.1"}, rig.clock.unix_us() / 1'000'000, 30).value();
  const RealPostgres server(certificate.certificate_pem, certificate.key_pem);
  TargetSettings t = postgres_target(server.port);
  t.tls.enabled = true;
  EXPECT_NE(rig.tested(t).find("failed: resolve+ connect+ tls-"), std::string::npos)
      << "unknown to the system";
  t.tls.ca = certificate.certificate_pem;
  EXPECT_TRUE(rig.tested(t).starts_with("acknowledged: resolve+ connect+ tls+ login+ schema+ write+;"));
  t.tls.server_name = "other.example";
  const std::string named = rig.tested(t);
  EXPECT_NE(named.find("failed: resolve+ connect+ tls-"), std::string::npos) << named;
  EXPECT_NE(named.find("does not match host name"), std::string::npos) << named;
  t.tls.server_name = "db.example.";  // whole: no certificate has the dot
  t.tls.min_version = "1.3";
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.up("pg-target")) << rig.now().last_error;
  rig.append_many(100);
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.compare(server), "");
  EXPECT_EQ(server.one(
                "SELECT string_agg(DISTINCT version, ',') FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
                "WHERE application_name = 'wafd'"),
            "TLSv1.3");
  t.tls.ca.clear();
  t.tls.verify = false;
  EXPECT_EQ(rig.tested(t).substr(0, 12), "acknowledged");
}

TEST(PostgresTester, APlaceThatTakesNoWritesIsPassedOver) {
  const RealPostgres replica, primary;
  replica.sql("ALTER SYSTEM SET default_transaction_read_only = on");
  replica.sql("SELECT pg_reload_conf()");
  ASSERT_TRUE(wait_until([&] { return replica.one("SHOW default_transaction_read_only") == "on"; }));
  PostgresRig rig;
  TargetSettings t = postgres_target(replica.port);
  t.tls.enabled = false;
  rig.delivery->apply({t});
  rig.append_many(10);
  ASSERT_TRUE(
      wait_until([&] { return rig.now().last_error.find("a read-only replica") != std::string::npos; }));
  EXPECT_EQ(rig.now().acknowledged, 0u);
  t.backups = {{"127.0.0.1", primary.port}};
  rig.delivery->apply({t});
  ASSERT_TRUE(rig.all_settled()) << rig.now().last_error;
  EXPECT_EQ(rig.compare(primary), "");
  EXPECT_EQ(rig.now().connected_to, "127.0.0.1:" + std::to_string(primary.port));
}

}  // namespace
}  // namespace wafd::forward
