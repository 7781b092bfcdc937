// Hits over the API, over restarts, and in the metrics.
#include "console/settings/usage_counter_store.h"

#include <fstream>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "console/api/api.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

detect::UsageCounters counted(const ConsoleUnderTest& console) {
  detect::UsageCounters hits;
  const std::int64_t now_s = console.clock.unix_us() / 1'000'000;
  hits.rules["m_sqli/1"] = {3, now_s};
  hits.exceptions["e"] = {2, now_s};
  hits.sites["0"].on(now_s / 86'400).add({0, 10, 2, 1, 1, {2, 2, 5}, 4, 3});
  hits.unknown.see("new.example", now_s);
  hits.unknown.see("two.example", now_s);
  hits.unknown.see("<script>", now_s);
  return hits;
}

TEST(Hits, AreShownWhereTheThingIs) {
  ConsoleUnderTest console;
  console.set_up();
  const auto made = json_of(console.as_admin("POST", "/api/v1/exceptions", R"({"path":"/a"})"));
  const std::string id(made.at("id").as_string());
  EXPECT_EQ(made.at("hits").at("count"), 0);
  EXPECT_TRUE(made.at("hits").at("last_s").is_null());
  detect::UsageCounters hits = counted(console);
  hits.exceptions[id] = {2, 77};
  console.worker_hits.push_back(std::move(hits));
  console.worker_hits.push_back(counted(console));  // of another worker
  const auto list = json_of(console.as_admin("GET", "/api/v1/exceptions"));
  EXPECT_EQ(list.at("exceptions").at(0).at("hits").at("count"), 2);
  EXPECT_EQ(list.at("exceptions").at(0).at("hits").at("last_s"), 77);
  // Hits are no change of the object.
  EXPECT_EQ(list.at("exceptions").at(0).at("etag"), made.at("etag"));

  const auto sites = json_of(console.as_admin("GET", "/api/v1/sites"));
  const auto& day = sites.at("sites").at(0).at("days").at(0);
  EXPECT_EQ(day.at("day"), "2023-11-14");
  EXPECT_EQ(day.at("requests"), 20);
  EXPECT_EQ(day.at("would_deny").at("strict"), 10);
  EXPECT_EQ(day.at("bodies_seen"), 8);
  EXPECT_EQ(day.at("bodies_missing"), 6);

  const auto status = json_of(console.as_admin("GET", "/api/v1/status"));
  EXPECT_EQ(status.at("sites").at(0).at("today").at("denied"), 4);
  EXPECT_EQ(status.at("unknown_hosts"), 2);
  const std::string metrics = console.as_admin("GET", "/metrics").body;
  for (const char* line :
       {"wafd_rule_hits_total{rule=\"m_sqli/1\"} 6\n", "wafd_site_requests_today{site=\"0\"} 20\n",
        "wafd_unknown_hosts 2\n", "wafd_requests_body_truncated_total 0\n",
        "wafd_request_bytes_inspected_total 0\n"}) {
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
  }
}

TEST(Hits, UnknownHostsUntilASiteHasThem) {
  ConsoleUnderTest console;
  console.set_up();
  console.worker_hits.push_back(counted(console));
  auto unknown = json_of(console.as_admin("GET", "/api/v1/sites/unknown"));
  ASSERT_EQ(unknown.at("hosts").as_array().size(), 2u);
  EXPECT_EQ(unknown.at("hosts").at(0).at("host"), "two.example");
  EXPECT_EQ(unknown.at("other"), 1);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/sites", R"({"name":"New","hosts":["*.example"]})").status, 201);
  unknown = json_of(console.as_admin("GET", "/api/v1/sites/unknown"));
  EXPECT_TRUE(unknown.at("hosts").as_array().empty());
  EXPECT_EQ(console.call("GET", "/api/v1/sites/unknown").status, 401);
}

TEST(Hits, SurviveARestart) {
  ConsoleUnderTest console;
  UsageCounterStore store = UsageCounterStore::open(console.folder.path);
  EXPECT_EQ(store.notice(), "");
  store.add({});
  std::vector<detect::UsageCounters> parts;
  parts.push_back(counted(console));
  parts.push_back(counted(console));
  store.add(parts);
  ASSERT_TRUE(UsageCounterStore::save(store.path(), store.text()));
  UsageCounterStore again = UsageCounterStore::open(console.folder.path);
  EXPECT_EQ(again.text(), store.text());
  EXPECT_EQ(again.total().rules.at("m_sqli/1").count, 6u);
  EXPECT_EQ(again.total().unknown.hosts().front().name, "two.example");
  EXPECT_EQ(again.total().unknown.other, 2u);
  again.prune({});
  EXPECT_TRUE(again.total().exceptions.empty());
  EXPECT_EQ(again.total().rules.size(), 1u);
  EXPECT_EQ(again.total().sites.size(), 1u);
}

TEST(Hits, AFileFromBeforeBodiesWereCountedIsRead) {
  test::TempFolder folder;
  std::ofstream(folder.path + "/hits.json") << R"({"sites":{"0":[[19675,10,2,1,1,2,2,5]]}})";
  const UsageCounterStore store = UsageCounterStore::open(folder.path);
  EXPECT_EQ(store.notice(), "");
  const detect::SiteDay* day = store.total().sites.at("0").find(19675);
  ASSERT_NE(day, nullptr);
  EXPECT_EQ(day->requests, 10u);
  EXPECT_EQ(day->would_deny[2], 5u);
  EXPECT_EQ(day->bodies_seen, 0u);
}

TEST(Hits, ADamagedFileIsBegunAnew) {
  for (const char* text :
       {"", "{", "[]", R"({"rules":[1],"sites":{"0":[[9e99]]},"unknown":{"hosts":[["a b",[1,2,3]],[1]]}})",
        R"({"rules":{"a":[-5,"x"]},"sites":{"0":7}})"}) {
    test::TempFolder folder;
    std::ofstream(folder.path + "/hits.json") << text;
    const UsageCounterStore store = UsageCounterStore::open(folder.path);
    for (const auto& [id, hits] : store.total().rules) EXPECT_EQ(hits.count, 0u) << text;
    EXPECT_TRUE(store.total().unknown.hosts().empty()) << text;
  }
}

}  // namespace
}  // namespace wafd::console
