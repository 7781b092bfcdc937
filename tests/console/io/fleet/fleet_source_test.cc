// The API over a real PostgreSQL with the events of several nodes: the answers are those of a ring that holds
// them all; and what is said and shown while the database is away.
#include "console/io/fleet/fleet_source.h"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/events/ring_events.h"
#include "console/io/fleet/fleet_node_watch.h"
#include "console/io/fleet/fleet_triage_book.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/fleet_tail.h"
#include "forward/io/postgres/session.h"
#include "forward/target/node_beat.h"
#include "ingest/io/kit/system.h"
#include "tests/forward/ring_support.h"
#include "tests/support/console_api.h"
#include "tests/support/fleet_postgres.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

constexpr std::uint64_t kEvents = 60;

// The console of a node whose ring holds the first events alone.
class FleetApi : public test::OnSharedPostgres {
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
    own.services.events =
        std::make_shared<FleetSource>(database, ring_events, own.background, database, own.background);
    own.services.shared_triage = std::make_shared<FleetTriageBook>(database);
    own.services.fleet = true;
    own.set_up();
    all.set_up();
    // The first connection may take its time on a machine that has much to do.
    EXPECT_TRUE(test::wait_until([&] { return why_away().empty(); }, 30'000));
  }

  std::string why_away() {
    const auto asked = database.run([](forward::PgConnection&) -> forward::PgResult<void> { return {}; });
    return asked ? "" : forward::text_of(asked.error());
  }

  std::unique_ptr<forward::PgConnection> connection() { return test::owner_connection(server.port, stop); }
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

  kit::SystemClock clock;
  ConsoleUnderTest own, all;
  RingEvents ring_events{*own.ring};
  forward::FleetDatabase database{test::fleet_place(server.port), clock};
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

// Reads from a body until `done` says that it is enough. Sessions end by the console's clock, which stands
// still in tests: each call moves it by one tick.
std::string pulled(BodySource& body, const std::function<bool(const std::string&)>& done) {
  static std::int64_t now_ms = 0;
  std::string out;
  EXPECT_TRUE(test::wait_until([&] {
    std::string more;
    const auto next = body.pull(more, 1 << 16, now_ms += kStreamTickMs);
    out += more;
    return next == BodySource::Next::kEnd || next == BodySource::Next::kBroken || done(out);
  })) << out.substr(0, 2000);
  return out;
}

std::size_t times(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(FleetApi, AnExportHasTheEventsOfAllNodesAndIsCutWhereTheDatabaseGoes) {
  const auto never = [](const std::string&) { return false; };
  for (const char* format : {"ndjson", "csv"}) {
    const auto target = fmt::format("/api/v1/events/export?q=-type:xss&format={}", format);
    const auto fleet = own.as_admin("GET", target), ring = all.as_admin("GET", target);
    ASSERT_TRUE(fleet.stream && ring.stream);
    EXPECT_EQ(pulled(*fleet.stream, never), pulled(*ring.stream, never));
  }
  const auto cut = own.as_admin("GET", "/api/v1/events/export");
  stop_server();
  std::string out;
  auto next = BodySource::Next::kWait;
  EXPECT_TRUE(
      test::wait_until([&] { return (next = cut.stream->pull(out, 1, 0)) == BodySource::Next::kBroken; }));
  EXPECT_EQ(out, "");
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events/export").status, 503) << "known to be away";
}

// A day and two nodes: what a node stores late has an old time, and is told when it comes.
TEST_F(FleetApi, TheTailGivesWhatAnyNodeStoresOnceAndSaysWhenItCannot) {
  const std::int64_t now_ms = clock.unix_us() / 1000;
  const auto store = [&](std::uint64_t number, const char* node, std::int64_t time_ms) {
    EventRecord record = forward::event(number);
    record.time_ms = time_ms;
    const auto seq = all.ring->append(record);
    ASSERT_TRUE(seq);
    forward::RingReader reader(*all.ring);
    std::uint64_t overtaken = 0;
    reader.seek(*seq);
    const auto read = reader.read(1, 1 << 20, overtaken);
    forward::PgRow row;
    forward::append_event_row(read[0], read[0].json, true, node, row.text);
    row.day = forward::day_of(record.time_ms);
    forward::PgSession session(connection());
    ASSERT_TRUE(session.begin());
    ASSERT_TRUE(session.write({&row, 1}));
  };
  const auto has = [](std::uint64_t number) {
    return [id = forward::id_of(number).text()](const std::string& text) {
      return text.find(id) != std::string::npos;
    };
  };
  store(100, "a", now_ms);
  const auto list = json_of(own.as_admin("GET", "/api/v1/events?limit=1"));
  const auto after = "after=" + std::to_string(list.at("end").as_int64() - 1);
  const auto tail = own.as_admin("GET", "/api/v1/events/stream?q=-host:no&" + after);
  const auto some =
      own.as_admin("GET", "/api/v1/events/stream?q=is:open+type:" +
                              std::string(to_string(forward::event(103).attack_type)) + "&" + after);
  const auto fresh = own.as_admin("GET", "/api/v1/events/stream");
  ASSERT_TRUE(tail.stream && some.stream && fresh.stream);
  // Without a place it begins at the present end.
  pulled(*fresh.stream, [](const std::string& text) { return text.find("event: hello") != text.npos; });
  store(101, "a", now_ms + 1);
  store(102, "b", now_ms - 20ll * 86'400'000);
  std::string out = pulled(*tail.stream, has(102));
  EXPECT_NE(out.find(std::to_string(now_ms - 20ll * 86'400'000) + "-" + forward::id_of(102).text()), out.npos)
      << "its place in lists";
  stop_server();
  out += pulled(*tail.stream,
                [](const std::string& text) { return text.find("\"answered\":false") != text.npos; });
  start_server();
  store(103, "b", now_ms + 2);
  out += pulled(*tail.stream, has(103));
  for (const std::uint64_t number : {101, 102, 103})
    EXPECT_EQ(times(out, "\"event_id\":\"" + forward::id_of(number).text()), 1u) << number;
  EXPECT_EQ(times(out, "event: hello"), 1u);
  EXPECT_EQ(times(out, "\"answered\":true"), 1u);
  EXPECT_EQ(times(out, "event: skipped"), 0u);
  EXPECT_LE(times(out, "event: event"), 4u + kEvents) << "what was stored a moment before comes once more";
  out = pulled(*some.stream, has(103));
  EXPECT_FALSE(has(102)(out)) << "of another type";
  out = pulled(*fresh.stream, has(103));
  EXPECT_EQ(times(out, "event: event"), 3u);
}

// More than a look gives: the newest are given, and what is left out is counted to the last one.
TEST_F(FleetApi, ALookCountsWhatItLeavesOut) {
  constexpr std::uint64_t kMany = forward::FleetTail::kMaxMatches + 1'000;
  const auto all_of_them = std::make_shared<const forward::FleetFilter>();
  const auto none = std::make_shared<const forward::FleetFilter>(
      forward::FleetFilter{.query = *forward::EventQuery::parse("host:nowhere")});
  forward::FleetTail tail;
  const auto asked = connection();
  const auto look = [&](std::vector<forward::FleetTail::Watch> watches) {
    auto found = tail.look(*asked, watches);
    EXPECT_TRUE(found) << found.error().what;
    return found ? std::move(*found) : forward::FleetTail::Look{};
  };
  const auto begin = look({{all_of_them, true, {}}, {none, true, {}}});
  EXPECT_TRUE(begin.events.empty()) << "who gives no place begins at the present end";
  server.sql(fmt::format(
      "INSERT INTO wafd_events (day, event_id, time, node, seq, site, action, attack_type, risk, host, path, "
      "rule, record) SELECT day, md5(n::text)::uuid, time, 'late', n, site, action, attack_type, risk, host, "
      "path, rule, '{{}}' FROM (SELECT * FROM wafd_events LIMIT 1) AS one, generate_series(1, {}) AS n",
      kMany));
  const auto next = look({{all_of_them}, {none}, {all_of_them, true, begin.upto_us}});
  ASSERT_EQ(next.found.size(), 3u);
  for (const std::size_t who : {0u, 2u}) {
    EXPECT_EQ(next.found[who].events.size(), forward::FleetTail::kMaxEvents);
    EXPECT_EQ(next.found[who].unknown, 0u);
  }
  EXPECT_EQ(next.found[0].skipped, kMany - forward::FleetTail::kMaxEvents);
  EXPECT_EQ(next.found[1].events.size() + next.found[1].skipped, 0u);
  EXPECT_EQ(next.events.size(), forward::FleetTail::kMaxEvents) << "read once for both";
  EXPECT_EQ(next.events.back().seq, kMany);
  EXPECT_TRUE(look({{all_of_them}}).events.empty());
}

// Whatever place or filter one of those who watch has, the others are told, and nothing old is read for it.
TEST_F(FleetApi, OneTailKeepsNoOtherFromBeingTold) {
  using Tail = forward::FleetTail;
  server.sql("UPDATE wafd_events SET stored = stored - interval '1 hour'");
  const auto all_of_them = std::make_shared<const forward::FleetFilter>();
  const auto refused = std::make_shared<const forward::FleetFilter>(
      forward::FleetFilter{.from_ms = -300'000'000'000'000});  // no date of the database
  Tail tail;
  const auto asked = connection();
  const auto look = tail.look(*asked, {{all_of_them, true, INT64_MIN},
                                       {all_of_them, true, INT64_MAX},
                                       {all_of_them, true, 1'000'000'000'000'001},
                                       {refused, true, {}},
                                       {all_of_them, true, {}}});
  ASSERT_TRUE(look) << look.error().what;
  EXPECT_TRUE(look->events.empty());
  for (const std::size_t i : {0u, 1u, 2u, 4u}) {
    EXPECT_EQ(look->found[i].unknown, i == 0 || i == 2 ? kEvents : 0) << i;
    EXPECT_EQ(look->found[i].failed, "") << i;
  }
  EXPECT_NE(look->found[3].failed, "");
  EXPECT_FALSE(Tail().look(*asked, {{refused, true, {}}})) << "nobody was told anything";
  for (const char* after : {"9223372036854775808"}) {
    const auto stream = own.as_admin("GET", std::string("/api/v1/events/stream?after=") + after);
    ASSERT_TRUE(stream.stream) << after;
    const auto hello =
        pulled(*stream.stream, [](const auto& text) { return text.find("position") != text.npos; });
    EXPECT_EQ(hello.find("\"answered\":false"), hello.npos) << hello;
    EXPECT_EQ(hello.find("{\"after\":4000000000000000}"), hello.npos) << "it goes on from the present end";
  }
}

TEST_F(FleetApi, WhatPeopleSayOfAnEventIsInTheDatabaseForAllConsoles) {
  const std::string first = forward::id_of(1).text(), last = forward::id_of(kEvents - 1).text();
  const auto set = own.as_admin("POST", "/api/v1/triage",
                                R"({"events":[")" + first + R"(",")" + last + R"(",")" + last +
                                    R"("],"state":"closed","label":"false_positive","note":"a\"b"})");
  ASSERT_EQ(set.status, 200) << set.body;
  EXPECT_EQ(server.one("SELECT count(*) FROM pg_inherits WHERE inhparent = 'wafd_events'::regclass AND NOT "
                       "EXISTS (SELECT 1 FROM pg_indexes WHERE tablename = inhrelid::regclass::text AND "
                       "indexdef LIKE '%(event_id)')"),
            "0")
      << "each day is asked by an index of ids";
  ConsoleUnderTest other;
  other.services.events =
      std::make_shared<FleetSource>(database, ring_events, other.background, database, other.background);
  other.services.fleet = true;
  other.services.shared_triage = std::make_shared<FleetTriageBook>(database);
  other.set_up();
  const auto marks =
      json_of(other.as_admin("GET", "/api/v1/triage?events=" + last + "," + forward::id_of(2).text()))
          .at("marks")
          .as_array();
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(json_of(set).at("marks").as_array().at(1), marks[0]) << "a change answers as a look does";
  EXPECT_EQ(marks[0].at("state"), "closed");
  EXPECT_EQ(marks[0].at("label"), "false_positive");
  EXPECT_EQ(marks[0].at("note"), "a\"b");
  EXPECT_EQ(marks[0].at("by"), "admin");
  EXPECT_TRUE(marks[1].at("at_ms").is_null());
  EXPECT_NE(own.services.audit_log.read(1, {}).entries.at(0).find("event.triage"), std::string::npos);
  const auto listed = [&](const char* q) {
    return json_of(other.as_admin("GET", fmt::format("/api/v1/events?q={}", q)))
        .at("events")
        .as_array()
        .size();
  };
  EXPECT_EQ(listed("is:closed"), 2u);
  EXPECT_EQ(listed("is:open"), kEvents - 2);
  EXPECT_EQ(listed("is:false_positive+-is:true_positive"), 2u);
  for (const char* path : {"/histogram?", "/top?field=host&", "/counts?top=host&", "/groups?by=sources&"})
    EXPECT_EQ(other.as_admin("GET", std::string("/api/v1/events") + path + "q=is:closed").status, 200)
        << path;
  // Of events that are not there nothing is said, and of those beside them neither.
  EXPECT_EQ(own.as_admin("POST", "/api/v1/triage",
                         R"({"events":[")" + first + R"(",")" + forward::id_of(kEvents + 9).text() +
                             R"("],"state":"open"})")
                .status,
            404);
  EXPECT_EQ(listed("is:closed"), 2u);
  stop_server();
  const auto body = R"({"events":[")" + first + R"("],"state":"open"})";
  EXPECT_EQ(own.as_admin("POST", "/api/v1/triage", body).status, 503);
  EXPECT_EQ(own.as_admin("GET", "/api/v1/triage?events=" + first).status, 503);
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events?q=is:open").status, 503) << "this node does not know it";
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events?q=type:sqli").status, 200);
}

TEST_F(FleetApi, APinnedEventOutlivesItsDay) {
  const std::string id = forward::id_of(kEvents - 1).text();
  const auto pins = [&] { return json_of(own.as_admin("GET", "/api/v1/pins")).at("pins").as_array(); };
  // The detail of an event that the database stores without one does not get there from the ring.
  const std::string here = forward::id_of(1).text();
  server.sql("UPDATE wafd_events SET detail = NULL WHERE event_id = '" + here + "'");
  EXPECT_EQ(own.as_admin("PUT", "/api/v1/pins/" + here).status, 200);
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_pins WHERE event LIKE '%findings%'"), "0");
  EXPECT_EQ(own.as_admin("DELETE", "/api/v1/pins/" + here).status, 204);
  server.sql("DELETE FROM wafd_events WHERE event_id = '" + here + "'");
  EXPECT_EQ(own.as_admin("PUT", "/api/v1/pins/" + here).status, 404);
  EXPECT_EQ(own.as_admin("PUT", "/api/v1/pins/" + id).status, 200);
  server.sql("UPDATE wafd_pins SET pinned_by = 'other'");
  EXPECT_EQ(json_of(own.as_admin("PUT", "/api/v1/pins/" + id)).at("by"), "other") << "who was first";
  ASSERT_EQ(pins().size(), 1u);
  EXPECT_EQ(pins()[0].at("record").at("event_id"), id.c_str());
  EXPECT_EQ(json_of(own.as_admin("GET", "/api/v1/events?q=is:pinned")).at("events").as_array().size(), 1u);
  server.sql("TRUNCATE wafd_events");
  EXPECT_EQ(json_of(own.as_admin("GET", "/api/v1/events/" + id)).at("record").at("event_id"), id.c_str());
  EXPECT_EQ(own.as_admin("DELETE", "/api/v1/pins/" + id).status, 204);
  EXPECT_EQ(own.as_admin("DELETE", "/api/v1/pins/" + id).status, 404);
  EXPECT_EQ(own.as_admin("GET", "/api/v1/events/" + id).status, 404);
}

TEST_F(FleetApi, NodesAreShownAsTheyLastToldAndOneThatIsNoMoreIsForgotten) {
  own.services.fleet_nodes = std::make_shared<FleetNodeWatch>(database, own.background);
  FleetNodeFacts facts;
  facts.version = "9.9";
  facts.requests_per_s = 2.5;
  facts.last_request_ms = 7;
  facts.targets = {{"db", "up", 3, 4}};
  forward::PgSession session(connection());
  ASSERT_TRUE(session.begin());
  ASSERT_TRUE(session.beat("edge/1", "a", clock.unix_us() / 1000 + 60'000, said_by_node(facts)));
  ASSERT_TRUE(
      session.beat("edge/1", "b", clock.unix_us() / 1000, R"({"version":7,"targets":[1,{"name":2}]})"));
  server.sql("UPDATE wafd_nodes SET seen = seen - interval '40 seconds' WHERE instance = 'b'");
  auto fleet = json_of(own.as_admin("GET", "/api/v1/fleet"));
  EXPECT_EQ(fleet.at("answered"), true);
  ASSERT_EQ(fleet.at("nodes").as_array().size(), 2u);
  const auto& node = fleet.at("nodes").as_array()[0];
  EXPECT_EQ(node.at("node"), "edge/1");
  EXPECT_EQ(node.at("silent"), false);
  EXPECT_EQ(node.at("requests_per_s"), 2.5);
  EXPECT_EQ(node.at("targets").as_array()[0].at("lag_events"), 3);
  EXPECT_NEAR(static_cast<double>(node.at("clock_ms").as_int64()), 60'000, 20'000);
  const auto& other = fleet.at("nodes").as_array()[1];
  EXPECT_EQ(other.at("silent"), true) << "another version's words are no reason to leave it out";
  EXPECT_EQ(other.at("version"), "");
  EXPECT_EQ(json_of(own.as_admin("GET", "/api/v1/status")).at("fleet").at("silent"),
            boost::json::array({"edge/1"}));
  EXPECT_EQ(own.as_admin("DELETE", "/api/v1/fleet/nodes/b").status, 204);
  EXPECT_NE(own.services.audit_log.read(1, {}).entries.at(0).find(R"("node":"edge/1")"), std::string::npos);
  EXPECT_EQ(own.as_admin("DELETE", "/api/v1/fleet/nodes/b").status, 404);
  EXPECT_EQ(json_of(own.as_admin("GET", "/api/v1/fleet")).at("nodes").as_array().size(), 1u);
  stop_server();
  fleet = json_of(own.as_admin("GET", "/api/v1/fleet"));
  EXPECT_EQ(fleet.at("answered"), false);
  EXPECT_NE(fleet.at("why").as_string().find("the database of the fleet"), std::string::npos);
  EXPECT_EQ(fleet.at("nodes").as_array().size(), 1u) << "as they last told";
  EXPECT_EQ(all.as_admin("GET", "/api/v1/fleet").status, 404);
  // After an outage no node is silent for what it could tell nobody.
  start_server();
  server.sql("UPDATE wafd_nodes SET seen = seen - interval '1 hour'");
  ASSERT_TRUE(test::wait_until([&] {
    fleet = json_of(own.as_admin("GET", "/api/v1/fleet"));
    return fleet.at("answered") == true;
  }));
  EXPECT_EQ(fleet.at("nodes").as_array().at(0).at("silent"), false);
  EXPECT_GT(fleet.at("nodes").as_array().at(0).at("silent_ms").as_int64(), 3'000'000);
  EXPECT_EQ(own.services.fleet_nodes->facts().nodes.at(0).missed_ms, 0) << "what alert rules count";
  static_assert(forward::share_ms(3'000, 2) == 1'500 && forward::share_ms(1'500, 1) == 1'500);
  forward::NodeBeat beat("a");
  beat.say("{}", 1'000);
  EXPECT_EQ(beat.said(1'000 + forward::NodeBeat::kStaleMs), "{}");
  EXPECT_EQ(beat.said(1'001 + forward::NodeBeat::kStaleMs), "") << "one that hangs is silent";
}

TEST_F(FleetApi, WhileTheDatabaseIsAwayThisNodesEventsAreShownAndItIsSaid) {
  stop_server();
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
  start_server();
  ASSERT_TRUE(test::wait_until(
      [&] {
        return json_of(own.as_admin("GET", "/api/v1/events?limit=3")).at("fleet").at("answered").as_bool();
      },
      20'000));
  EXPECT_TRUE(database.state().error.empty());
  // A list that began as this node's goes on as this node's, and says why.
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

// As a host that is gone: nothing answers, and nothing is refused.
TEST_F(FleetApi, AServerThatStandsStillIsNoticedLongBeforeAStatementIsGivenUp) {
  EXPECT_EQ(json_of(own.as_admin("GET", "/api/v1/events?limit=1")).at("fleet").at("answered"), true);
  const std::int64_t kept_ms = clock.monotonic_us() / 1000;
  EXPECT_TRUE(test::wait_until(
      [&] { return clock.monotonic_us() / 1000 - kept_ms > forward::FleetDatabase::kFreshMs; }));
  server.freeze(true);
  const std::int64_t begin_ms = clock.monotonic_us() / 1000;
  const auto list = json_of(own.as_admin("GET", "/api/v1/events?limit=1"));
  const std::int64_t took_ms = clock.monotonic_us() / 1000 - begin_ms;
  server.freeze(false);
  EXPECT_EQ(list.at("fleet").at("answered"), false);
  EXPECT_LT(took_ms, forward::FleetDatabase::kStatementMs);
}

TEST_F(FleetApi, TablesThatAreMissingOrOldAreSaidWithWhatToDo) {
  server.sql(
      "DELETE FROM wafd_schema WHERE version > 3; SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
      "WHERE pid <> pg_backend_pid() AND application_name = 'wafd'");
  auto list = json_of(own.as_admin("GET", "/api/v1/events"));
  EXPECT_NE(list.at("fleet").at("why").as_string().find("the tables are of version 3, this wafd needs"),
            std::string::npos)
      << list;
  EXPECT_NE(list.at("fleet").at("why").as_string().find("wafd fleet init"), std::string::npos);
}

}  // namespace
}  // namespace wafd::console
