// Operations on channels and alerts: requests that are refused, and secrets that no answer holds.
#include <gtest/gtest.h>

#include "console/api/node_state.h"
#include "console/api/weekly_report.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

constexpr const char* kChannels = "/api/v1/notify/channels";
constexpr const char* kAlerts = "/api/v1/notify/alerts";
constexpr const char* kHook =
    R"({"name":"Chat","kind":"webhook","url":"https://hooks.example/token-in-path","secret":"signing-key"})";

std::string id_of(const HttpResponse& answer) { return std::string(json_of(answer).at("id").as_string()); }

TEST(NotifyApi, SecretsAreAnsweredToNobodyAndAppliedWhole) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse made = console.as_admin("POST", kChannels, kHook);
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string one = std::string(kChannels) + "/" + id_of(made);
  for (const HttpResponse& answer :
       {console.as_admin("GET", one), console.as_admin("GET", kChannels),
        console.as_admin("GET", "/api/v1/audit"), console.as_admin("GET", "/api/v1/settings/versions")}) {
    EXPECT_EQ(std::string(answer.content()).find("token-in-path"), std::string::npos);
    EXPECT_EQ(std::string(answer.content()).find("signing-key"), std::string::npos);
  }
  ASSERT_EQ(console.notifier.applied_channels.size(), 1u);
  EXPECT_EQ(console.notifier.applied_channels[0].secret, "signing-key");
  EXPECT_EQ(console.as_admin("PUT", one, R"({"name":"Renamed","kind":"webhook"})").status, 200);
  EXPECT_EQ(console.notifier.applied_channels[0].url, "https://hooks.example/token-in-path");
  const HttpResponse moved =
      console.as_admin("PUT", one, R"({"name":"Renamed","kind":"webhook","url":"https://evil.example/"})");
  EXPECT_EQ(moved.status, 422);
  EXPECT_EQ(json_of(moved).at("member"), "secret");
  ASSERT_EQ(console.as_admin("POST", "/api/v1/notify/test", R"({"id":")" + id_of(made) + R"("})").status,
            200);
  EXPECT_EQ(console.notifier.tested.at(0).secret, "signing-key");
}

TEST(NotifyApi, RefusesByMember) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string channel = id_of(console.as_admin("POST", kChannels, kHook));
  ASSERT_EQ(
      console.as_admin("POST", kAlerts, R"({"name":"A","when":"overload","channels":[")" + channel + R"("]})")
          .status,
      201);
  struct Row {
    const char* method;
    std::string path;
    const char* body;
    int status;
    const char* member;
  };
  const Row rows[] = {
      {"POST", kChannels, kHook, 409, "name"},
      {"POST", kChannels, R"({"name":"b","kind":"webhook","url":"http://169.254.169.254/"})", 422, "url"},
      {"POST", kChannels,
       R"({"name":"b","kind":"mail","host":"224.0.0.1","sender":"a@b.example","recipients":["a@b.example"]})",
       422, "host"},
      {"POST", kChannels, R"({"name":"b","kind":"webhook","url":"http://127.0.0.1:8700/"})", 422, "url"},
      {"POST", kAlerts, R"({"name":"A","when":"overload"})", 409, "name"},
      {"POST", kAlerts, R"({"name":"b","when":"matches","query":"type:"})", 422, "query"},
      {"POST", kAlerts, R"({"name":"b","when":"overload","channels":["none"]})", 422, "channels[0]"},
      {"POST", "/api/v1/notify/test", R"({"id":"none"})", 422, "id"},
      {"DELETE", std::string(kChannels) + "/" + channel, "", 409, nullptr},
      {"DELETE", std::string(kAlerts) + "/none", "", 404, nullptr},
  };
  for (const Row& row : rows) {
    const HttpResponse answer = console.as_admin(row.method, row.path, row.body);
    EXPECT_EQ(answer.status, row.status) << row.body << answer.body;
    if (row.member != nullptr) {
      EXPECT_EQ(json_of(answer).at("member"), row.member) << row.body;
    }
  }
}

TEST(NotifyApi, ChannelsAreForAdminsAlertsForOperators) {
  ConsoleUnderTest console;
  console.set_up();
  const auto as = [&](Role role, const char* path, const char* body) {
    return console.call("POST", path, body, {{"Authorization", "Bearer " + console.token(role)}}).status;
  };
  constexpr const char* kAlert = R"({"name":"A","when":"overload"})";
  EXPECT_EQ(as(Role::kViewer, kAlerts, kAlert), 403);
  EXPECT_EQ(as(Role::kOperator, kAlerts, kAlert), 201);
  EXPECT_EQ(as(Role::kOperator, kChannels, kHook), 403);
  EXPECT_EQ(as(Role::kOperator, "/api/v1/notify/test", kHook), 403);
  EXPECT_EQ(as(Role::kAdmin, kChannels, kHook), 201);
}

TEST(NotifyApi, OneTestAtATime) {
  ConsoleUnderTest console;
  console.set_up();
  console.notifier.hold_tests = true;
  EXPECT_EQ(console.as_admin("POST", "/api/v1/notify/test", kHook).status, 0);  // not answered yet
  EXPECT_EQ(console.as_admin("POST", "/api/v1/notify/test", kHook).status, 429);
}

TEST(NotifyApi, ASettingsFileMayNameOnlyChannelsItHas) {
  const std::string alert = R"({"id":"a","name":"A","when":"overload","channels":["c"]})";
  const std::string channel = R"({"id":"c","name":"C","kind":"webhook","url":"https://a.example/"})";
  EXPECT_TRUE(parse_settings(R"({"format":1,"channels":[)" + channel + R"(],"alerts":[)" + alert + "]}"));
  const auto wrong = parse_settings(R"({"format":1,"alerts":[)" + alert + "]}");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "alerts[0].channels[0]: expected the id of a channel");
}

// The clock of these tests is on a Tuesday, 2023-11-14, 22:13:20 UTC.
TEST(WeeklyReport, MissedWhileTheNodeWasDownIsToldOnceItIsUp) {
  ConsoleUnderTest console;
  console.set_up();
  ASSERT_EQ(
      console
          .as_admin("POST", kChannels,
                    R"({"name":"Chat","kind":"webhook","url":"https://a.example/","weekly_report":true})")
          .status,
      201);
  const std::int64_t now_ms = console.clock.unix_us() / 1000;
  console.services.started_ms = now_ms - 3 * 86'400'000ll;
  console.notifier.counts.add_requests(now_ms - 10 * 86'400'000ll, 7, 0);
  tell_weekly_report(console.services);
  EXPECT_TRUE(console.notifier.told.empty()) << "it was up on Monday, and told it or had no channel";
  console.services.started_ms = now_ms;
  tell_weekly_report(console.services);
  ASSERT_EQ(console.notifier.told.size(), 1u);
  EXPECT_EQ(console.notifier.told[0].alert_id, "report-2023-11-13");
  EXPECT_EQ(console.notifier.told[0].title, "report of the week from 2023-11-06 to 2023-11-12");
}

TEST(WeeklyReport, ANodeThatIsNewHasMissedNothing) {
  ConsoleUnderTest console;
  console.set_up();
  ASSERT_EQ(
      console
          .as_admin("POST", kChannels,
                    R"({"name":"Chat","kind":"webhook","url":"https://a.example/","weekly_report":true})")
          .status,
      201);
  const std::int64_t now_ms = console.clock.unix_us() / 1000;
  console.services.started_ms = now_ms;
  console.notifier.counts.add_requests(now_ms, 7, 0);
  tell_weekly_report(console.services);
  EXPECT_TRUE(console.notifier.told.empty());
}

TEST(NodeState, TellsWhoIsWell) {
  Settings settings;
  settings.policy.sites.resize(1);
  settings.policy.sites[0].uuid = "5ab1";
  settings.policy.sites[0].name = "Shop";
  settings.targets.resize(3);
  settings.targets[0].id = "up";
  settings.targets[1].id = "stuck";
  settings.targets[2].id = "off";
  settings.targets[2].enabled = false;
  std::vector<forward::TargetStatus> statuses(3);
  for (std::size_t i = 0; i < 3; ++i) {
    statuses[i].id = settings.targets[i].id;
    statuses[i].state = "up";
  }
  statuses[1].unacknowledged_ms = kUnacknowledgedMs + 1;
  StatusReport report;
  report.engine.requests = 10;
  report.engine.overload_passed = 1;
  report.engine.judged_by_head = 2;
  report.listeners.push_back({"t1k", "127.0.0.1:8700", true, 1, 2, 2, 0, 3, {}});
  RingStatus ring;
  ring.size_bytes = 100;
  ring.used_bytes = 9;
  ring.reach_ms = 1000;
  forward::NodeState state = node_state(report, statuses, settings, ring);
  ASSERT_EQ(state.targets.size(), 2u);
  EXPECT_TRUE(state.targets[0].well);
  EXPECT_FALSE(state.targets[1].well);
  EXPECT_EQ(state.unjudged, 3u);
  EXPECT_EQ(state.sites, (std::map<std::string, std::string>{{"5ab1", "Shop"}}));
  EXPECT_EQ(state.listeners[0].last_request_ms, 3);
  EXPECT_FALSE(state.reach_ms) << "a ring that has just begun says nothing";
  ring.used_bytes = 10;
  EXPECT_EQ(node_state(report, statuses, settings, ring).reach_ms, 1000);
}

}  // namespace
}  // namespace wafd::console
