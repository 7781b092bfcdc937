// The API over a real PostgreSQL with the events of several nodes: the answers are those of a ring that holds
// them all; and what is said and shown while the database is away.
#include "console/io/fleet/fleet_source.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/events/ring_events.h"
#include "forward/io/fleet_address.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/session.h"
#include "ingest/io/kit/system.h"
#include "tests/forward/ring_support.h"
#include "tests/support/console_api.h"
#include "tests/support/real_postgres.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

constexpr std::uint64_t kEvents = 60;

// The console of a node whose ring holds the first events alone.
class FleetApi : public ::testing::Test {
 protected:
  FleetApi() {
    forward::PgSession session(connection());
    EXPECT_TRUE(session.begin());
    EXPECT_TRUE(session.migrate());
    for (std::uint64_t i = 0; i < kEvents; ++i) {
      EventRecord record = forward::event(i);
      record.detail = fmt::format(
          R"({{"version":1,"weightiest":{0},"findings":[{{"rule_id":"x/1","rule_name":"a","name":"p{1}"}},)"
          R"({{"rule_id":"{2}","rule_name":"b","name":"q{1}"}}]}})",
          i % 2, i % 4, record.rule_id);
      EXPECT_TRUE(all.ring->append(record));
      if (i < 5) {
        EXPECT_TRUE(own.ring->append(record));
      }
    }
    forward::RingReader reader(*all.ring);
    std::uint64_t overtaken = 0;
    std::vector<forward::PgRow> rows;
    for (const forward::RecordView& record : reader.read(kEvents, 1 << 22, overtaken)) {
      forward::PgRow row;
      forward::append_event_row(record, reader.merged_json(record), true, record.seq % 2 == 0 ? "a" : "b",
                                row.text);
      row.day = forward::day_of(record.time_ms);
      rows.push_back(std::move(row));
    }
    const auto written = session.write(rows);
    EXPECT_TRUE(written) << written.error().what;
    own.services.events = std::make_shared<FleetSource>(database, ring_events);
    own.services.fleet = true;
    own.set_up();
    all.set_up();
  }

  std::unique_ptr<forward::PgConnection> connection() {
    forward::PgLogin login;
    login.database = "postgres";
    login.user = test::RealPostgres::kOwner;
    login.password = "secret";
    login.encrypted = false;
    return std::move(
        forward::PgConnection::open(login, {"127.0.0.1", "127.0.0.1", server.port}, stop).value());
  }
  // An answer of the fleet, without what a ring's lacks or has in another form.
  static boost::json::object comparable(boost::json::value answer) {
    boost::json::object out = answer.as_object();
    for (const char* member : {"fleet", "before", "end"}) out.erase(member);
    if (auto* events = out.if_contains("events"))
      for (auto& event : events->as_array()) event.as_object().erase("place");
    out.erase("place");
    return out;
  }
  void same(const std::string& target, std::string_view why = {}) {
    const auto fleet = own.as_admin("GET", target), ring = all.as_admin("GET", target);
    ASSERT_EQ(fleet.status, 200) << target << " " << fleet.body;
    ASSERT_EQ(ring.status, 200) << target << " " << ring.body;
    EXPECT_EQ(boost::json::serialize(comparable(json_of(fleet))),
              boost::json::serialize(comparable(json_of(ring))))
        << target << " " << why;
    EXPECT_EQ(json_of(fleet).at("fleet").at("answered"), true) << target;
    EXPECT_FALSE(json_of(ring).as_object().contains("fleet")) << "a ring's answer is as it was";
  }

  test::RealPostgres server;
  forward::StopSignal stop;
  kit::SystemClock clock;
  ConsoleUnderTest own, all;
  RingEvents ring_events{*own.ring};
  forward::FleetDatabase database{
      forward::read_fleet_address({fmt::format("postgresql://{}@127.0.0.1:{}/postgres?sslmode=disable",
                                               test::RealPostgres::kOwner, server.port),
                                   "secret", ""},
                                  "test")
          .value(),
      clock};
};

constexpr const char* kSpan = "&from=1760000000000&to=1760000000060";

TEST_F(FleetApi, AnswersAsARingThatHoldsTheEventsOfAllNodes) {
  for (const char* q :
       {"", "type:sqli", "risk:high+-action:deny", "src:10.0.0.0%2F28", "param:q1", "node:*", "shop"}) {
    same(fmt::format("/api/v1/events?limit=200&q={}", q));
    same(fmt::format("/api/v1/events/histogram?buckets=7&q={}{}", q, kSpan));
    for (const std::string_view field : top_fields()) {
      // Of the same count a ring's heads know no order of texts.
      if (field != "src" && field != "rule" && field != "site" && field != "type" && field != "risk" &&
          field != "action")
        same(fmt::format("/api/v1/events/top?limit=5&field={}&q={}", field, q));
    }
    same(fmt::format("/api/v1/events/counts?buckets=9&values=3&top=host,path,method&q={}{}", q, kSpan));
    for (const char* by : {"sources", "attackers", "tuning"})
      same(fmt::format("/api/v1/events/groups?limit=7&by={}&q={}", by, q));
  }
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events/top?field=none").status, 400);
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events?before=7-x").status, 400);
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events?q=type:none").status, 400);
}

// What people say of an event is in the file of the node where they said it: no answer is better than one
// that counts a closed event among the open ones.
TEST_F(FleetApi, WhatPeopleSaidOnOneNodeIsNotAskedOfAll) {
  const std::string closed = forward::id_of(3).text();
  ASSERT_EQ(
      own.as_admin("POST", "/api/v1/triage", R"({"events":[")" + closed + R"("],"state":"closed"})").status,
      200);
  for (const char* path : {"", "/histogram", "/top?field=host", "/counts?top=host", "/groups?by=sources"}) {
    const std::string target = std::string("/api/v1/events") + path;
    const char* next = target.find('?') == std::string::npos ? "?" : "&";
    EXPECT_EQ(own.as_admin("GET", target + next + "q=type:sqli").status, 200) << target;
    const auto refused = own.as_admin("GET", target + next + "q=type:sqli+-is:closed+is:pinned");
    ASSERT_EQ(refused.status, 400) << target << " " << refused.body;
    EXPECT_EQ(
        json_of(refused).at("detail"),
        "q: at character 11: expected no is: term: state, label and pins are each node's own and not yet "
        "known to the fleet's database");
    EXPECT_EQ(json_of(refused).at("offset"), 10);
  }
  // An export is this node's own, as what was said is.
  const auto text = [&](const char* q) {
    const auto answer = own.as_admin("GET", std::string("/api/v1/events/export?q=") + q);
    std::string out;
    while (answer.stream &&
           answer.stream->pull(out, 1u << 16, own.clock.unix_us() / 1000) == BodySource::Next::kMore) {
    }
    return out;
  };
  EXPECT_NE(text("is:closed").find(closed), std::string::npos);
  EXPECT_EQ(text("is:open").find(closed), std::string::npos);
}

TEST_F(FleetApi, PagesGoOnBehindThePlaceOfTheLastEvent) {
  std::string listed, before;
  std::size_t pages = 0;
  do {
    const auto page =
        json_of(own.as_admin("GET", "/api/v1/events?limit=7" + (before.empty() ? "" : "&before=" + before)));
    for (const auto& event : page.at("events").as_array())
      listed += std::string(event.at("record").at("event_id").as_string()) + " ";
    before = page.at("before").is_null() ? "" : std::string(page.at("before").as_string());
    ++pages;
  } while (!before.empty() && pages < 20);
  std::string want;
  for (std::uint64_t i = kEvents; i-- > 0;) want += forward::id_of(i).text() + " ";
  EXPECT_EQ(listed, want);
  EXPECT_EQ(pages, 9u);
}

TEST_F(FleetApi, OneEventIsFoundHereOrInTheDatabase) {
  for (const std::uint64_t number : {std::uint64_t{2}, kEvents - 1}) {
    const std::string path = "/api/v1/events/" + forward::id_of(number).text();
    const auto fleet = own.as_admin("GET", path), ring = all.as_admin("GET", path);
    ASSERT_EQ(fleet.status, 200) << fleet.body;
    auto want = comparable(json_of(ring)), got = comparable(json_of(fleet));
    EXPECT_EQ(got.at("record"), want.at("record"));
    EXPECT_EQ(got.at("detail"), want.at("detail"));
    const auto line = json_of(own.as_admin("GET", path + "/syslog"));
    EXPECT_NE(line.at("message").as_string().find(forward::id_of(number).text()), std::string::npos);
  }
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events/" + forward::id_of(kEvents).text()).status, 404);
}

TEST_F(FleetApi, WhileTheDatabaseIsAwayThisNodesEventsAreShownAndItIsSaid) {
  server.stop(SIGQUIT);
  const auto list = json_of(own.as_admin("GET", "/api/v1/events?limit=3"));
  EXPECT_EQ(list.at("fleet").at("answered"), false);
  EXPECT_NE(list.at("fleet").at("why").as_string().find("the database of the fleet: "), std::string::npos);
  ASSERT_EQ(list.at("events").as_array().size(), 3u);
  EXPECT_EQ(list.at("events").as_array()[0].at("record").at("event_id").as_string(),
            forward::id_of(4).text());
  // Its pages are this node's too.
  const auto more = json_of(
      own.as_admin("GET", "/api/v1/events?limit=3&before=" + boost::json::serialize(list.at("before"))));
  EXPECT_EQ(more.at("events").as_array().size(), 2u);
  EXPECT_EQ(more.at("fleet").at("answered"), false);
  EXPECT_EQ(more.at("fleet").at("why"), list.at("fleet").at("why"));
  // A page of the fleet's list has no other half here.
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events?before=1760000000009-" + forward::id_of(9).text()).status,
            503);
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events/" + forward::id_of(3).text()).status, 200);
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events/" + forward::id_of(50).text()).status, 503);
  EXPECT_FALSE(database.state().error.empty());
  server.start();
  ASSERT_TRUE(test::wait_until(
      [&] {
        return json_of(own.as_admin("GET", "/api/v1/events?limit=3")).at("fleet").at("answered").as_bool();
      },
      20'000));
  EXPECT_TRUE(database.state().error.empty());
  // What began as this node's list stays that, and says why.
  const auto rest = json_of(
      own.as_admin("GET", "/api/v1/events?limit=3&before=" + boost::json::serialize(list.at("before"))));
  EXPECT_EQ(rest.at("fleet").at("why"),
            "this list began while the database of the fleet did not answer: read it anew for all nodes");
  // A connection that was cut while nobody used it is made anew, and nobody is told.
  server.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "
      "application_name = 'wafd'");
  EXPECT_EQ(json_of(own.as_admin("GET", "/api/v1/events?limit=3")).at("fleet").at("answered"), true);
}

TEST_F(FleetApi, TablesThatAreMissingOrOldAreSaidWithWhatToDo) {
  server.sql("DELETE FROM wafd_schema WHERE version > 3");
  auto list = json_of(own.as_admin("GET", "/api/v1/events"));
  EXPECT_NE(list.at("fleet").at("why").as_string().find("the tables are of version 3, this wafd needs"),
            std::string::npos)
      << list;
  EXPECT_NE(list.at("fleet").at("why").as_string().find("wafd fleet init"), std::string::npos);
}

}  // namespace
}  // namespace wafd::console
