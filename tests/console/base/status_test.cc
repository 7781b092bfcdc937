// The status document and its metrics, to the byte: scripts and scrapers of users read them.
#include "console/base/status.h"

#include <fstream>
#include <iterator>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace wafd::console {
namespace {

std::string recorded(const std::string& name) {
  std::ifstream file(std::string(WAFD_SOURCE_DIR) + "/tests/console/base/" + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Every number is another one, so that none can stand in another's place.
StatusReport::Engine engine() {
  StatusReport::Engine e;
  std::uint64_t n = 100;
  for (std::uint64_t* member : {&e.rules,
                                &e.requests,
                                &e.denied,
                                &e.monitored,
                                &e.allowed_recorded,
                                &e.ring_refused,
                                &e.total_bytes,
                                &e.inspected_bytes,
                                &e.bodies_truncated,
                                &e.bodies_abandoned,
                                &e.limits_reached,
                                &e.interrupted,
                                &e.judged_by_head,
                                &e.overload_passed,
                                &e.overload_blocked,
                                &e.plugin_skipped,
                                &e.waiting,
                                &e.detect_us,
                                &e.detect_us_p50,
                                &e.detect_us_p99,
                                &e.detect_us_p999,
                                &e.reports,
                                &e.reports_unmatched,
                                &e.plugin_unjudged,
                                &e.given_up})
    *member = ++n;
  return e;
}

forward::TargetStatus target() {
  forward::TargetStatus t;
  t.id = "11111111";
  t.state = "up";
  t.connected_to = "192.0.2.1:514";
  std::uint64_t n = 200;
  for (std::uint64_t* member :
       {&t.cursor, &t.lag_events, &t.unacknowledged, &t.sent, &t.acknowledged, &t.resent, &t.truncated,
        &t.filtered, &t.rejected, &t.lost, &t.lines_lost, &t.bytes, &t.reconnects, &t.errors})
    *member = ++n;
  t.lag_ms = 301;
  t.unacknowledged_ms = 302;
  t.last_error_ms = 1'700'000'000'303;
  t.last_sent_ms = 1'700'000'000'304;
  t.lost_ranges = {{5, 7}, {9, 9}};
  t.last_error = "refused";
  return t;
}

boost::json::object document() {
  StatusReport::Listener used{
      "t1k", "127.0.0.1:8000", true, 401, 402, 405, 406, 1'700'000'000'403, {{"too_many", 404}}};
  StatusReport::Listener fresh{"http", "127.0.0.1:8001", false, 0, 0, 0, 0, {}, {}};
  boost::json::object sent = to_json(target());
  sent["name"] = "a \"quoted\" name";
  boost::json::object never{{"name", "never asked"}};  // the delivery loop knows nothing of it yet
  const ConsoleStatus console{"127.0.0.1:9443", 501, 502, "ab:cd", {{"not_allowed", 503}}};
  boost::json::object document;
  document["node"] = "node-1";
  document["version"] = "1.2.3";
  document["engine"] = to_json(engine());
  document["sites"] = boost::json::parse(R"([
    {"uuid": "22222222", "today": {"day": "2026-01-02", "requests": 601, "denied": 602, "monitored": 603, "uninspected": 604,
      "bodies_seen": 605, "bodies_missing": 606}},
    {"uuid": "33333333", "today": null}])");
  document["listeners"] = {to_json(used), to_json(fresh)};
  document["targets"] = {std::move(sent), std::move(never)};
  document["ring"] =
      boost::json::parse(R"({"size_octets": 701, "used_octets": 702, "oldest_seq": 703, "end_seq": 704,
    "oldest_ms": null, "reach_ms": 705, "refused": 706, "recovery": "clean"})");
  document["console"] = to_json(console);
  return document;
}

TEST(Status, MembersTheirOrderAndTheirValuesStay) {
  EXPECT_EQ(boost::json::serialize(document()) + "\n", recorded("status.json"));
}

TEST(Status, MetricsStay) {
  EXPECT_EQ(telemetry::prometheus_text(metric_families(document())), recorded("status.prom"));
}

}  // namespace
}  // namespace wafd::console
