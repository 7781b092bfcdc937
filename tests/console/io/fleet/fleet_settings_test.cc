// The settings of a fleet in a real PostgreSQL: rows that nobody may use, and a newest version that is older
// than the one in use.
#include "console/io/fleet/fleet_settings.h"

#include <mutex>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/io/fleet/fleet_adoption.h"
#include "forward/io/postgres/session.h"
#include "ingest/io/kit/system.h"
#include "tests/forward/io/postgres/cutting_proxy.h"
#include "tests/support/console_parts.h"
#include "tests/support/fleet_postgres.h"

namespace wafd::console {
namespace {

class SharedVersions : public ::testing::Test {
 protected:
  SharedVersions() {
    forward::PgSession session(test::owner_connection(server.port, stop));
    EXPECT_TRUE(session.begin());
    EXPECT_TRUE(session.migrate());
  }
  ~SharedVersions() override {
    database.stop();
    fleet.stop();
  }

  void insert(std::uint64_t version, const std::string& change, const std::string& document,
              const std::string& author = "a") {
    server.sql(
        fmt::format("INSERT INTO wafd_settings (version, parent, change_id, author, node, comment, document, "
                    "sealed) VALUES ({}, 0, '{}', '{}', 'n', '', '{}', '{{}}')",
                    version, change, author, document));
  }
  static std::string document_of(std::uint64_t version) {
    return fmt::format(R"({{"format":1,"version":{}}})", version);
  }
  // Why the newest is not used; empty: it may be.
  std::string refusal() {
    const FleetSettingsNews found = fleet.look_once();
    if (!found.why.empty()) return "away: " + found.why;
    if (!found.settings) return "nothing";
    return *found.settings ? "" : (*found.settings).error().what;
  }
  std::vector<FleetSettingsNews> told() {
    const std::lock_guard lock(mutex);
    return news;
  }

  test::RealPostgres server;
  forward::StopSignal stop;
  kit::SystemClock system;
  test::SetClock clock;
  test::CountingRandom random;
  std::mutex mutex;
  std::vector<FleetSettingsNews> news;
  forward::FleetDatabase database{test::fleet_place(server.port), system};
  FleetSettings fleet{{.database = database,
                       .clock = clock,
                       .random = random,
                       .node = "here",
                       .key_file = {},
                       .post = [](const std::function<void()>& function) { function(); },
                       .tell =
                           [this](FleetSettingsNews one) {
                             const std::lock_guard lock(mutex);
                             if (one.settings && *one.settings) fleet.uses(**one.settings);
                             news.push_back(std::move(one));
                             return std::string();
                           }}};
};

TEST_F(SharedVersions, RowsThatNoCopyCouldHoldAreRefused) {
  ASSERT_TRUE(test::wait_until([&] { return refusal() == "nothing"; }, 30'000)) << refusal();
  insert(3, "c", document_of(3));
  EXPECT_EQ(refusal(), "");
  EXPECT_EQ((*fleet.look_once().settings)->change_id, "c");
  insert(4, "c", document_of(3));
  EXPECT_EQ(refusal(), "its document is that of version 3");
  server.sql(
      "ALTER TABLE wafd_settings DROP CONSTRAINT wafd_settings_version_check; ALTER TABLE wafd_settings DROP "
      "CONSTRAINT wafd_settings_author_check; ALTER TABLE wafd_settings DROP CONSTRAINT wafd_settings_check");
  insert(5, "c", document_of(5), std::string(5000, 'a'));
  EXPECT_NE(refusal().find("an author of at most 128 bytes"), std::string::npos) << refusal();
  insert(6, "c", std::string((64u << 20) + 1, ' '));
  EXPECT_EQ(refusal(), "it is larger than 64 MiB");
  const auto versions = fleet.versions();
  ASSERT_TRUE(versions && versions->size() == 4);
  EXPECT_FALSE(versions->front().settings);
  EXPECT_TRUE(versions->back().settings) << "the others of a list are read";
  insert((std::uint64_t{1} << 52) + 1, "c", document_of(7));
  EXPECT_NE(refusal().find("expected a version of at most"), std::string::npos) << refusal();
}

// A version is stored once, whatever became of the answer to its COMMIT.
TEST_F(SharedVersions, ACommitThatNobodyHeardIsFoundByItsChange) {
  test::CuttingProxy proxy(server.port);
  forward::FleetDatabase behind{test::fleet_place(proxy.port()), system};
  FleetSettings settings{
      {.database = behind, .clock = clock, .random = random, .node = "here", .key_file = {}}};
  Settings next;
  next.author = "ann";
  for (const auto cut : {test::CuttingProxy::Cut::kNone, test::CuttingProxy::Cut::kBeforeCommit,
                         test::CuttingProxy::Cut::kBeforeAnswer}) {
    proxy.arm(cut);
    const int before = proxy.cuts();
    ++next.version;
    const auto stored = settings.store(next, "", "");
    ASSERT_TRUE(stored) << stored.error().what;
    EXPECT_EQ(proxy.cuts() - before, cut == test::CuttingProxy::Cut::kNone ? 0 : 1);
    EXPECT_EQ(
        server.one("SELECT change_id FROM wafd_settings WHERE version = " + std::to_string(next.version)),
        *stored);
  }
  EXPECT_EQ(server.one("SELECT count(*) || ' ' || max(version) FROM wafd_settings"), "3 3");
  behind.stop();
}

TEST_F(SharedVersions, AnOlderNewestIsTakenOnceNothingNewerCame) {
  ASSERT_TRUE(test::wait_until([&] { return refusal() == "nothing"; }, 30'000)) << refusal();
  insert(4, "first", document_of(4));
  insert(5, "first", document_of(5));
  fleet.start();
  const auto last_is = [&](std::uint64_t version, bool taken) {
    return test::wait_until(
        [&] {
          const auto now = told();
          return !now.empty() && now.back().newest == version && now.back().settings.has_value() == taken;
        },
        30'000);
  };
  ASSERT_TRUE(last_is(5, true));
  server.sql("DELETE FROM wafd_settings WHERE version = 5");
  ASSERT_TRUE(last_is(4, false)) << "it is said";
  EXPECT_NE(fleet_notice(told().back(), 5).find("version 4, older than version 5"), std::string::npos);
  clock.advance_ms(FleetSettings::kOlderMs - 1);
  insert(5, "second", document_of(5));
  ASSERT_TRUE(last_is(5, true)) << "the same number, another version: at once";
  EXPECT_EQ((*told().back().settings)->change_id, "second");
  server.sql("DELETE FROM wafd_settings WHERE version = 5");
  ASSERT_TRUE(last_is(4, false));
  clock.advance_ms(FleetSettings::kOlderMs - 1);
  // Two more looks in between: a change of ours is refused by the database, which has what it has.
  Settings next = **told()[told().size() - 2].settings;
  next.version = 6;
  EXPECT_FALSE(fleet.store(next, "c", "second"));
  EXPECT_FALSE(told().back().settings) << "not before the time is over";
  clock.advance_ms(1);
  ASSERT_TRUE(last_is(4, true));
  EXPECT_EQ((*told().back().settings)->change_id, "first");
}

}  // namespace
}  // namespace wafd::console
