// The tables of a database: made, brought up from every earlier version, used by roles of little rights.
#include "forward/io/postgres/session.h"

#include <chrono>
#include <future>
#include <set>

#include <gtest/gtest.h>

#include "forward/format/sample_event.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/fleet_settings.h"
#include "forward/io/postgres/roles.h"
#include "ingest/io/kit/system.h"
#include "tests/support/real_postgres.h"

namespace wafd::forward {
namespace {

using test::RealPostgres;

class Sessions : public ::testing::Test {
 protected:
  PgResult<PgSession> open(const std::string& database, const std::string& user = RealPostgres::kOwner) {
    PgLogin login;
    login.database = database;
    login.user = user;
    login.password = "secret";
    login.encrypted = false;
    auto connection = PgConnection::open(login, {"127.0.0.1", "127.0.0.1", server.port}, stop);
    if (!connection) return tl::unexpected(connection.error());
    PgSession session(std::move(*connection));
    if (auto good = session.begin(); !good) return tl::unexpected(good.error());
    return session;
  }
  PgRow row(std::int64_t day) {
    ZoneTime utc;
    const EventRecord sample =
        sample_event(EventId::make(random), "n", day * 86'400'000'000 + 3'600'000'000, utc);
    RecordView view;
    view.seq = 1;
    view.time_ms = day * 86'400'000 + 3'600'000;
    view.id = sample.id;
    view.src_ip = sample.src_ip;
    view.site_uuid = sample.site_uuid;
    view.rule_id = sample.rule_id;
    PgRow out;
    append_event_row(view, sample.json, true, "n", out.text);
    out.day = day;
    return out;
  }
  static std::string report_line(std::int64_t day) {
    return "report\t" + date_text(day) + "\t00000000000000000000000000000000\t" + date_text(day) +
           "\tn\t1\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t503\t7\t{}\t\\N\t\\N\n";
  }
  // Everything that wafd made, as text.
  std::string shape(const std::string& database) {
    std::string out;
    for (const std::string& line :
         server.sql("SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable FROM "
                    "information_schema.columns WHERE table_name LIKE 'wafd%' UNION ALL SELECT proname || ' "
                    "' || prosrc "
                    "FROM pg_proc WHERE proname LIKE 'wafd%' UNION ALL SELECT indexdef FROM pg_indexes WHERE "
                    "indexname "
                    "LIKE 'wafd%' UNION ALL SELECT version::text FROM wafd_schema ORDER BY 1",
                    database))
      out += line + "\n";
    return out;
  }
  static std::int64_t today() {
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
  }

  RealPostgres server;
  StopSignal stop;
  kit::SystemRandom random;
};

TEST_F(Sessions, EveryEarlierVersionComesUpToTheNewestAndKeepsItsEvents) {
  const auto all = migrations();
  ASSERT_GE(all.size(), 2u);
  server.sql("CREATE DATABASE fresh");
  auto fresh = open("fresh");
  ASSERT_TRUE(fresh) << fresh.error().what;
  ASSERT_TRUE(fresh->migrate());
  const std::string newest = shape("fresh");
  for (std::size_t from = 1; from <= all.size(); ++from) {
    EXPECT_EQ(all[from - 1].version, static_cast<int>(from)) << "without a hole";
    const std::string database = "from_" + std::to_string(from);
    server.sql("CREATE DATABASE " + database);
    auto session = open(database);
    ASSERT_TRUE(session) << session.error().what;
    EXPECT_EQ(session->schema()->version, 0);
    ASSERT_TRUE(session->migrate(all.first(from)));
    EXPECT_EQ(session->schema()->version, static_cast<int>(from));
    server.sql("INSERT INTO wafd_notices VALUES ('n', 'gap', 'x', now(), '{}')", database);
    for (int twice = 0; twice < 2; ++twice) {
      const auto migrated = session->migrate();
      ASSERT_TRUE(migrated) << migrated.error().what;
    }
    EXPECT_EQ(shape(database), newest) << "from version " << from;
    const PgRow one = row(today());
    ASSERT_TRUE(session->write({&one, 1}));
    ASSERT_TRUE(session->write({&one, 1})) << "known ones are passed over";
    EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events", database), "1");
    EXPECT_EQ(server.one("SELECT count(*) FROM wafd_notices", database), "1");
  }
}

TEST_F(Sessions, DaysThatAreFilledComeUpAsWell) {
  for (std::size_t from = 3; from < migrations().size(); ++from) {
    const std::string database = "filled_" + std::to_string(from);
    server.sql("CREATE DATABASE " + database);
    auto session = open(database);
    ASSERT_TRUE(session && session->migrate(migrations().first(from)));
    const PgRow behind[] = {row(today()), row(today() + 1)};
    server.sql(
        "SELECT wafd_make_days(current_date - 1, current_date); INSERT INTO wafd_events (day, event_id, "
        "time, node, "
        "seq, site, action, attack_type, risk, src_ip, host, path, rule, record) SELECT day, "
        "gen_random_uuid(), day "
        "+ interval '1 hour', 'n', 1, '0', 'deny', 'sqli', 'high', '192.0.2.7', 'h', '/', 'm_sqli/0', "
        "'{\"host\": \"h\"}' "
        "FROM unnest(ARRAY[current_date - 1, current_date]) AS day",
        database);
    const std::string texts =
        "SELECT string_agg(md5(wafd_events::text), '' ORDER BY time, event_id) FROM "
        "(SELECT day, event_id, time, src_ip, rule, record, detail FROM wafd_events WHERE day < "
        "current_date) AS wafd_events";
    const std::string old = server.one(texts, database);
    const auto migrated = session->migrate();
    ASSERT_TRUE(migrated) << migrated.error().what;
    ASSERT_TRUE(session->write(behind));
    EXPECT_EQ(server.one(texts, database), old) << "from version " << from;
    EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events", database), "4");
    EXPECT_EQ(
        server.one(
            "SELECT count(*) || ' ' || count(*) FILTER (WHERE 'toast_tuple_target=128' = ANY(reloptions)) "
            "FROM pg_class WHERE relname ~ '^wafd_events_[0-9]{8}$'",
            database),
        "3 3");
    EXPECT_EQ(
        server.one("SELECT count(*) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE "
                   "attname = 'trigrams' AND attstorage = 'p' AND relname ~ '^wafd_events(_[0-9]{8})?$'",
                   database),
        "4");
    EXPECT_EQ(server.one("SELECT count(trigrams) || ' of ' || count(*) FROM wafd_events", database), "2 of 4")
        << "from now on";
    // The indexes are of all days, and used.
    const struct {
      const char *where, *index;
    } uses[] = {{"src_ip <<= '192.0.2.7'", "_src_ip_idx"},
                {"lower((rule) COLLATE \"C\") = 'm_sqli/0'", "_lower_idx"}};
    for (const auto& [where, index] : uses) {
      std::string plan;
      for (const std::string& line : server.sql(
               std::string("SET enable_seqscan = off; EXPLAIN SELECT 1 FROM wafd_events WHERE ") + where,
               database))
        plan += line + "\n";
      EXPECT_EQ(plan.find("Seq Scan"), std::string::npos) << plan;
      for (const std::int64_t day : {today() - 1, today(), today() + 1}) {
        std::string name = "wafd_events_" + date_text(day) + index;
        std::erase(name, '-');
        EXPECT_NE(plan.find(name), std::string::npos) << name << " in " << plan;
      }
    }
  }
}

// Rows of one text are sent from where they lie, short texts together.
TEST_F(Sessions, RowsOfOneTextAndOfTextsOfTheirOwnAreAllWritten) {
  auto session = open("postgres");
  ASSERT_TRUE(session && session->migrate());
  std::string text;
  std::vector<std::size_t> ends;
  ends.reserve(150);
  for (int i = 0; i < 150; ++i) ends.push_back(text.append(row(today()).text).size());
  ASSERT_GT(text.size(), 3u * 64 * 1024);
  const PgRow before = row(today()), behind = row(today());
  std::vector<PgRowView> rows;
  rows.reserve(ends.size() + 4);
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    if (from == 0 || end == ends.back())
      rows.push_back({before.text, today()});  // the second time it is known
    rows.push_back({std::string_view(text).substr(from, end - from), today()});
    from = end;
  }
  rows.push_back({behind.text, today()});
  const auto written = session->write(rows);
  ASSERT_TRUE(written) << written.error().what;
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "152");
}

// Questions that count read rows and no records.
TEST_F(Sessions, RecordsStandBesideTheRows) {
  auto session = open("postgres");
  ASSERT_TRUE(session && session->migrate());
  std::vector<PgRow> rows;
  rows.reserve(200);
  for (int i = 0; i < 200; ++i) {
    rows.push_back(row(today()));
    std::string& text = rows.back().text;
    text.insert(text.find("\"body\":\"") + 8, std::string(640, 'b'));
    ASSERT_GT(text.size(), 2400u);
  }
  const auto written = session->write(rows);
  ASSERT_TRUE(written) << written.error().what;
  const std::string bytes = server.one(
      "SELECT sum(pg_relation_size(tableoid)) FROM (SELECT DISTINCT tableoid "
      "FROM wafd_events) AS days");
  EXPECT_LT(std::stoi(bytes), 200 * 500);
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events WHERE length(record->>'body') = 640"), "200");
}

TEST(Roles, NamesAreNothingButNames) {
  for (const char* bad : {"", "1a", "Node", "a b", "a;b", "a'", "wafd-node"}) {
    EXPECT_FALSE(roles_sql(bad, "console")) << bad;
    EXPECT_FALSE(roles_sql("node", bad)) << bad;
  }
  EXPECT_FALSE(roles_sql(std::string(64, 'a'), "console"));
}

TEST_F(Sessions, ManyAtOnceMakeTheTablesOnce) {
  std::vector<std::future<std::string>> all;
  for (int i = 0; i < 6; ++i)
    all.push_back(std::async(std::launch::async, [this] {
      auto session = open("postgres");
      if (!session) return session.error().what;
      const auto made = session->migrate();
      if (!made) return made.error().what;
      const auto days = session->keep({30, 0}, today());
      return days ? std::string() : days.error().what;
    }));
  for (auto& one : all) EXPECT_EQ(one.get(), "");
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_schema"), std::to_string(migrations().size()));
  EXPECT_EQ(server.one("SELECT count(*) FROM pg_inherits WHERE inhparent = 'wafd_events'::regclass"), "9");
}

TEST_F(Sessions, ANewerVersionIsWrittenToUnlessItSaysOtherwise) {
  auto session = open("postgres");
  ASSERT_TRUE(session && session->migrate());
  server.sql("INSERT INTO wafd_schema VALUES (97, 1)");
  EXPECT_TRUE(session->migrate());
  server.sql("INSERT INTO wafd_schema VALUES (98, 98)");
  const auto refused = session->migrate();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the tables are of version 98, for writers that know 98; this wafd knows " +
                                      std::to_string(migrations().back().version));
  EXPECT_EQ(refused.error().hint, "update wafd on this node");
}

TEST_F(Sessions, DaysAreMadeForWhatComesAndDroppedBehindRetention) {
  auto session = open("postgres");
  ASSERT_TRUE(session && session->migrate());
  ASSERT_TRUE(session->keep({}, today()));
  const PgRow rows[] = {row(today() - 400), row(today() - 3), row(today())};
  const auto written = session->write(rows);
  ASSERT_TRUE(written) << written.error().what;
  EXPECT_EQ(server.one("SELECT count(DISTINCT tableoid) FROM wafd_events"), "3");
  ASSERT_TRUE(session->keep({3, 0}, today()));
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "2");
  ASSERT_TRUE(session->write(rows)) << "a day that was dropped is made again";
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "3");
  // Somebody else drops a day that this session knows.
  server.sql("SELECT wafd_drop_days(current_date)");
  ASSERT_TRUE(session->write(rows));
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "3");
}

TEST_F(Sessions, TheOldestDaysGoWhileAllTakeMoreThanTheyMay) {
  auto session = open("postgres");
  ASSERT_TRUE(session && session->migrate());
  const PgRow rows[] = {row(today() - 4), row(today() - 3), row(today() - 1), row(today())};
  ASSERT_TRUE(session->write(rows));
  server.sql(
      "INSERT INTO wafd_notices VALUES ('n', 'gap', 'old', now() - interval '4 days', '{}'), "
      "('n', 'gap', 'new', now(), '{}')");
  const PgRetention one_gib{0, 1};
  ASSERT_TRUE(session->keep(one_gib, today()));
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "4") << "all of it is less";
  const std::string newest_two =
      "(SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = "
      "'wafd_events'::regclass AND inhrelid::regclass::text >= 'wafd_events_' || to_char(current_date - 1, "
      "'YYYYMMDD'))";
  EXPECT_EQ(server.one("SELECT wafd_drop_bytes(" + newest_two + "::bigint)"), "2");
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "2");
  EXPECT_EQ(server.one("SELECT notice_id FROM wafd_notices"), "new");
  EXPECT_EQ(server.one("SELECT wafd_drop_bytes(0)"), "1") << "today stays";
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_events"), "1");
  ASSERT_TRUE(session->write(rows)) << "days that somebody dropped are made again";
}

TEST_F(Sessions, TablesThatAreOlderAreSaidToWhoMayNotChangeThem) {
  auto owner = open("postgres");
  ASSERT_TRUE(owner && owner->migrate(migrations().first(2)));
  server.sql("CREATE ROLE node LOGIN PASSWORD 'secret'; GRANT SELECT ON wafd_schema TO node");
  auto node = open("postgres", "node");
  ASSERT_TRUE(node);
  const auto refused = node->migrate();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the tables are of version 2, this wafd needs " +
                                      std::to_string(migrations().back().version) +
                                      ", and the user may not change them");
  EXPECT_EQ(refused.error().hint, "let their owner run `wafd fleet init` of this version");
}

TEST_F(Sessions, TheDocumentedRolesAreEnoughAndNoMore) {
  auto owner = open("postgres");
  ASSERT_TRUE(owner && owner->migrate());
  const std::string roles = *roles_sql("node", "console");
  for (int twice = 0; twice < 2; ++twice) server.sql(roles);
  server.sql(
      "ALTER ROLE node PASSWORD 'secret'; ALTER ROLE console PASSWORD 'secret'; "
      "CREATE ROLE nobody_at_all LOGIN PASSWORD 'secret'");
  auto node = open("postgres", "node");
  ASSERT_TRUE(node) << node.error().what;
  ASSERT_TRUE(node->migrate());
  const auto kept = node->keep({30, 0}, today());
  ASSERT_TRUE(kept) << kept.error().what;
  const PgRow rows[] = {row(today()), row(today() - 20)};
  const auto written = node->write(rows);
  ASSERT_TRUE(written) << written.error().what;
  EXPECT_EQ(server.sql("SELECT count(*) FROM wafd_events", "postgres", "console"),
            std::vector<std::string>{"2"});
  PgRow report;  // of nothing, but allowed
  report.text = report_line(today());
  report.report = true;
  const auto reported = node->write({&report, 1});
  ASSERT_TRUE(reported) << reported.error().what;
  EXPECT_FALSE(node->reports_denied());
  EXPECT_EQ(server.one("SELECT status FROM wafd_events WHERE status IS NOT NULL"), "rows: 0");
  EXPECT_ANY_THROW(server.sql("SELECT count(*) FROM wafd_events", "postgres", "node"));
  EXPECT_ANY_THROW(server.sql("UPDATE wafd_events SET status = 1", "postgres", "node"));
  EXPECT_ANY_THROW(server.sql("UPDATE wafd_events SET status = 1", "postgres", "console"));
  // A node says that it is there; a console says of events what people think of them, and nothing else.
  server.sql("SELECT wafd_beat('n', 'i', now(), '{}')", "postgres", "node");
  EXPECT_ANY_THROW(server.sql("DELETE FROM wafd_nodes", "postgres", "node"));
  const auto told = node->beat("n", "i", 0, R"({"version":"1"})");
  ASSERT_TRUE(told) << told.error().what;
  EXPECT_FALSE(node->beats_denied());
  EXPECT_EQ(server.one("SELECT body->>'version' || extract(epoch FROM clock) FROM wafd_nodes"), "10.000000");
  server.sql("UPDATE wafd_events SET state = 'closed', label = 'false_positive', note = 'x'", "postgres",
             "console");
  server.sql("INSERT INTO wafd_pins SELECT event_id, 'me', now(), '{}' FROM wafd_events", "postgres",
             "console");
  server.sql("DELETE FROM wafd_pins", "postgres", "console");
  EXPECT_EQ(server.sql("SELECT node FROM wafd_nodes", "postgres", "console"), std::vector<std::string>{"n"});
  EXPECT_ANY_THROW(server.sql("SELECT wafd_beat('n', 'i', now(), '{}')", "postgres", "console"));
  server.sql(
      "UPDATE wafd_nodes SET seen = now() - interval '31 days'; REVOKE EXECUTE ON FUNCTION "
      "wafd_beat(text, text, timestamptz, jsonb) FROM node");
  EXPECT_TRUE(node->beat("n", "i", 0, "{}")) << "what it may not say is no reason to end";
  EXPECT_TRUE(node->beats_denied());
  server.sql("SELECT wafd_beat('other', 'i', now(), '{}')");
  EXPECT_EQ(server.sql("SELECT node FROM wafd_nodes"), std::vector<std::string>{"other"})
      << "of a node that is silent for a month nothing is kept";
  server.sql("DELETE FROM wafd_nodes", "postgres", "console");
  EXPECT_ANY_THROW(server.sql("UPDATE wafd_events SET state = 'closed'", "postgres", "node"));
  EXPECT_ANY_THROW(server.sql("DELETE FROM wafd_events", "postgres", "node"));
  EXPECT_ANY_THROW(server.sql("DELETE FROM wafd_events", "postgres", "console"));
  EXPECT_ANY_THROW(server.sql("SELECT wafd_drop_days(current_date)", "postgres", "console"));
  auto other = open("postgres", "nobody_at_all");
  ASSERT_TRUE(other);
  const auto denied = other->migrate();
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().what, "permission denied for table wafd_schema");
  EXPECT_EQ(denied.error().hint, "the user has not the rights that the documentation lists");
  // Without the right to report events go on, and it is known.
  server.sql(
      "REVOKE EXECUTE ON FUNCTION wafd_add_reports(date[], uuid[], integer[], bigint[], jsonb[]) FROM node");
  auto silent = open("postgres", "node");
  PgRow both = row(today());
  both.text += report_line(today());
  both.report = true;
  ASSERT_TRUE(silent->write({&both, 1}));
  EXPECT_TRUE(silent->reports_denied());
  // Without the right to make days those that are there are written to, and what is missing is told.
  server.sql("REVOKE EXECUTE ON FUNCTION wafd_make_days(date, date) FROM node");
  auto less = open("postgres", "node");
  const PgRow now = row(today()), old = row(today() - 200);
  ASSERT_TRUE(less->write({&now, 1}));
  const auto no_day = less->write({&old, 1});
  ASSERT_FALSE(no_day);
  EXPECT_FALSE(no_day.error().data) << "not the row's fault";
  EXPECT_EQ(no_day.error().hint, "no table for that day: the user needs EXECUTE on wafd_make_days");
}

FleetSettingsRow settings_of(std::uint64_t version, const std::string& who) {
  return {.version = version,
          .change_id = who + std::to_string(version),
          .parent_change = {},
          .author = who,
          .node = "n",
          .comment = "c",
          .document = R"({"a":"\u0000"})",
          .sealed = "{}",
          .made_ms = 0,
          .size = 0};
}

TEST_F(Sessions, OfTwoWhoAddAVersionOfTheSettingsOneIsLetIn) {
  auto owner = open("postgres");
  ASSERT_TRUE(owner && owner->migrate());
  server.sql(*roles_sql("node", "console") +
             "ALTER ROLE node PASSWORD 'secret'; ALTER ROLE console PASSWORD 'secret'");
  auto console = open("postgres", "console");
  ASSERT_TRUE(console);
  EXPECT_EQ(*newest_fleet_settings(console->connection()), FleetSettingsId());
  EXPECT_TRUE(list_fleet_settings(console->connection(), 5)->empty());
  EXPECT_FALSE(*find_fleet_settings(console->connection(), 1));
  for (std::uint64_t version = 1; version <= 4; ++version) {
    std::vector<std::future<std::string>> adding;
    for (const char* who : {"a", "b", "c"})
      adding.push_back(std::async(std::launch::async, [&, who] {
        auto session = open("postgres", "console");
        const auto newest = add_fleet_settings(session->connection(), settings_of(version, who));
        return newest ? newest->change_id : newest.error().what;
      }));
    std::set<std::string> first;
    for (auto& one : adding) first.insert(one.get());
    EXPECT_EQ(first.size(), 1u) << "all are told who was first";
    EXPECT_EQ(newest_fleet_settings(console->connection())->version, version);
    EXPECT_EQ(newest_fleet_settings(console->connection())->change_id, *first.begin());
  }
  const std::string there = server.one("SELECT change_id FROM wafd_settings WHERE version = 4");
  const auto again = add_fleet_settings(console->connection(), settings_of(4, there.substr(0, 1)));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->change_id, there) << "who lost the answer finds its own";
  EXPECT_EQ(add_fleet_settings(console->connection(), settings_of(6, "hole"))->version, 4u);
  const auto row = find_fleet_settings(console->connection(), 4);
  ASSERT_TRUE(row && *row);
  EXPECT_EQ((*row)->document, R"({"a":"\u0000"})");
  EXPECT_GT((*row)->made_ms, 1'700'000'000'000);
  server.sql(
      "INSERT INTO wafd_settings SELECT n, n - 1, 'x', now(), 'x', 'x', 'x', '{}', '{}' FROM "
      "generate_series(5, 149) AS n");
  EXPECT_EQ(add_fleet_settings(console->connection(), settings_of(150, "d"))->change_id, "d150");
  EXPECT_EQ(server.one("SELECT count(*) || ' ' || min(version) FROM wafd_settings"), "100 51");
  auto node = open("postgres", "node");
  ASSERT_TRUE(node);
  EXPECT_EQ(*newest_fleet_settings(node->connection()), (FleetSettingsId{150, "d150"}));
  const auto refused = add_fleet_settings(node->connection(), settings_of(151, "node"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "permission denied for table wafd_settings");
  EXPECT_ANY_THROW(server.sql("DELETE FROM wafd_settings", "postgres", "node"));
  EXPECT_ANY_THROW(server.sql("UPDATE wafd_settings SET author = 'x'", "postgres", "console"));
}

TEST_F(Sessions, WhoLostTheAnswerFindsItsOwnVersionAlsoBehindOthers) {
  auto owner = open("postgres");
  ASSERT_TRUE(owner && owner->migrate());
  PgConnection& connection = owner->connection();
  ASSERT_TRUE(add_fleet_settings(connection, settings_of(1, "mine")));
  ASSERT_TRUE(add_fleet_settings(connection, settings_of(2, "other")));
  const auto again = add_fleet_settings(connection, settings_of(1, "mine"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->change_id, "mine1") << "it was stored, though it is not the newest any more";
  EXPECT_EQ(add_fleet_settings(connection, settings_of(1, "late"))->change_id, "other2");
  // Of the same number, but other contents than what the change was made of.
  FleetSettingsRow next = settings_of(3, "mine");
  next.parent_change = "mine2";
  EXPECT_EQ(add_fleet_settings(connection, next)->change_id, "other2");
  next.parent_change = "other2";
  EXPECT_EQ(add_fleet_settings(connection, next)->change_id, "mine3");
}

TEST_F(Sessions, OfSettingsThatAreTooLargeNothingIsRead) {
  auto owner = open("postgres");
  ASSERT_TRUE(owner && owner->migrate());
  PgConnection& connection = owner->connection();
  for (const char* wrong : {"0, 0, 'x', now(), 'a', 'n', 'c', '{}', '{}'",
                            "4503599627370497, 0, 'x', now(), 'a', 'n', 'c', '{}', '{}'",
                            "1, 0, '', now(), 'a', 'n', 'c', '{}', '{}'",
                            "1, 0, 'x', now(), repeat('a', 129), 'n', 'c', '{}', '{}'",
                            "1, 0, 'x', now(), 'a', 'n', 'c', repeat('a', 67108863), '{}'"})
    EXPECT_ANY_THROW(server.sql(std::string("INSERT INTO wafd_settings VALUES (") + wrong + ")")) << wrong;
  // Whoever owns the table takes the checks away.
  server.sql(
      "DO $$ DECLARE c text; BEGIN FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = "
      "'wafd_settings'::regclass AND contype = 'c' LOOP EXECUTE 'ALTER TABLE wafd_settings DROP CONSTRAINT ' "
      "|| "
      "quote_ident(c); END LOOP; END $$;"
      "INSERT INTO wafd_settings VALUES (1, 0, repeat('x', 100000), now(), repeat('a', 100000), repeat('n', "
      "100000), repeat('c', 100000), repeat('d', 67108863), '{}')");
  const auto row = find_fleet_settings(connection, 1);
  ASSERT_TRUE(row && *row);
  EXPECT_EQ((*row)->size, kMaxFleetSettingsBytes + 1);
  EXPECT_EQ((*row)->document + (*row)->sealed, "");
  EXPECT_EQ((*row)->author.size(), 129u);
  EXPECT_LE((*row)->change_id.size() + (*row)->node.size() + (*row)->comment.size(), 2000u);
  server.sql("UPDATE wafd_settings SET document = repeat('d', 67108862)");
  EXPECT_EQ((*find_fleet_settings(connection, 1))->document.size(), kMaxFleetSettingsBytes - 2);
  const auto list = list_fleet_settings(connection, 5);
  ASSERT_TRUE(list && list->size() == 1);
  EXPECT_EQ(list->front().document, "") << "a list pulls none";
  EXPECT_EQ(list->front().size, kMaxFleetSettingsBytes);
}

}  // namespace
}  // namespace wafd::forward
