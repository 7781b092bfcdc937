// Who may do what: public routes, credentials, foreign pages, path tricks, methods, bodies.
#include "console/api/api.h"

#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "console/api/routing/auth.h"
#include "console/events/scan.h"
#include "files/small_file.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

std::string type_of(const HttpResponse& response) {
  const auto value = json_of(response);
  return value.is_object() && value.get_object().contains("type")
             ? std::string(value.at("type").as_string()).substr(17)
             : "";
}

TEST(Api, ThesePublicRoutesAndNoOthers) {
  ConsoleUnderTest console;
  EXPECT_THAT(console.api.public_routes(),
              testing::UnorderedElementsAre(
                  "GET /", "GET /healthz", "GET /readyz", "POST /api/v1/session", "DELETE /api/v1/session",
                  "GET /api/v1/setup", "POST /api/v1/setup", "GET /api/v1/openapi.json", "GET /oidc/callback",
                  "GET /api/v1/session/oidc", "POST /api/v1/session/oidc", "PUT /api/v1/session/oidc"));
}

TEST(Api, EveryOtherRouteAsksForACredential) {
  ConsoleUnderTest console;
  console.set_up();
  std::size_t asked = 0;
  for (const Route& route : console.api.routes()) {
    if (!route.role) continue;
    std::string path = route.pattern;
    if (const auto at = path.find('{'); at != std::string::npos)
      path.replace(at, path.find('}') + 1 - at, "x");
    const HttpResponse answer = console.call(route.method, path, "{}");
    EXPECT_EQ(answer.status, 401) << route.method << " " << path;
    ++asked;
  }
  EXPECT_GT(asked, 35u);
}

TEST(Api, AHistogramCoversTheLastDayUnlessAskedOtherwise) {
  ConsoleUnderTest console;
  console.set_up();
  const auto from = [&](const std::string& query) {
    return json_of(console.as_admin("GET", "/api/v1/events/histogram?to=1600000000000" + query))
        .at("from")
        .to_number<std::int64_t>();
  };
  EXPECT_EQ(from(""), 1'600'000'000'000 - 24 * 3'600'000);
  EXPECT_EQ(from("&from="), 1'600'000'000'000 - 24 * 3'600'000);
  EXPECT_EQ(from("&from=0"), 0) << "the beginning of time was asked for";
}

TEST(Api, LiveTailsHaveACapThatOneUserCannotUseUp) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string first = "Bearer " + console.token(Role::kViewer);
  const std::string second = "Bearer " + console.token(Role::kOperator);
  const auto tail = [&](const std::string& bearer) {
    return console.call("GET", "/api/v1/events/stream", "", {{"Authorization", bearer}});
  };
  std::vector<HttpResponse> open;
  for (int i = 0; i < 32; ++i) {
    open.push_back(tail(first));
    ASSERT_EQ(open.back().status, 200) << i;
  }
  EXPECT_EQ(tail(first).status, 429);
  EXPECT_EQ(tail(second).status, 200);
  open.pop_back();
  EXPECT_EQ(tail(first).status, 200);
}

TEST(Api, RolesBoundWhatTokensMayDo) {
  ConsoleUnderTest console;
  console.set_up();
  const Role roles[] = {Role::kViewer, Role::kOperator, Role::kAdmin};
  std::size_t refused = 0;
  for (const Role role : roles) {
    const std::string bearer = "Bearer " + console.token(role);
    for (const Route& route : console.api.routes()) {
      if (!route.role || *route.role <= role) continue;
      std::string path = route.pattern;
      if (const auto at = path.find('{'); at != std::string::npos) path.replace(at, std::string::npos, "x");
      EXPECT_EQ(console.call(route.method, path, "{}", {{"Authorization", bearer}}).status, 403)
          << route.method << " " << path;
      ++refused;
    }
  }
  EXPECT_GT(refused, 25u);
}

TEST(Api, OperatorsHandleExceptionsRulesAndListsAndAdminsTheRest) {
  ConsoleUnderTest console;
  std::vector<std::string> of_operators;
  for (const Route& route : console.api.routes()) {
    if (!route.role || route.method == "GET") continue;
    if (*route.role == Role::kOperator) of_operators.push_back(route.operation);
    if (*route.role == Role::kViewer) {
      // A viewer may send only requests that change the viewer's own things, or nothing.
      EXPECT_THAT(
          route.operation,
          testing::AnyOf("changePassword", "endSession", "addView", "removeView", "previewTarget",
                         "setPreferences", "logOutEverywhere", "beginSecondFactor", "confirmSecondFactor",
                         "removeSecondFactor", "renewRecoveryCodes", "unmaskEvent", "logOutOidc"));
    }
  }
  EXPECT_THAT(of_operators, testing::UnorderedElementsAre(
                                "addAlert", "changeAlert", "removeAlert", "addException", "changeException",
                                "removeException", "addListEntry", "changeListEntry", "removeListEntry",
                                "importLists", "addRules", "changeRule", "removeRule", "setTriage",
                                "pinEvent", "unpinEvent", "previewException", "inspect"));
}

TEST(Api, ReadingChangesNothing) {
  ConsoleUnderTest console;
  console.set_up();
  ASSERT_EQ(console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"192.0.2.0/24"})").status,
            201);
  const auto state = [&] {
    std::string all;
    for (const char* name : {"settings.json", "credentials.json", "audit.log", "triage.json", "pins.json"})
      all += read_file(console.folder.path + "/" + name, 1u << 20).value_or("-") + "\n";
    return all;
  };
  (void)console.as_admin("GET", "/api/v1/me");
  const std::string before = state();
  std::size_t read = 0;
  for (const Route& route : console.api.routes()) {
    if (route.method != "GET") continue;
    if (route.operation == "exportEvents") continue;  // that somebody took everything is audited
    std::string path = route.pattern;
    if (const auto at = path.find('{'); at != std::string::npos) path.replace(at, std::string::npos, "1");
    for (const char* method : {"GET", "HEAD"}) (void)console.as_admin(method, path);
    EXPECT_EQ(state(), before) << path;
    ++read;
  }
  EXPECT_GT(read, 30u);
}

TEST(Api, PathTricksAreRefused) {
  ConsoleUnderTest console;
  console.set_up();
  struct Row {
    const char* target;
    int status;
  };
  constexpr Row kRows[] = {
      {"/api/v1/me", 200},
      {"/api/v1/me/", 400},
      {"//api/v1/me", 400},
      {"/api//v1/me", 400},
      {"/api/v1/./me", 400},
      {"/api/v1/x/../me", 400},
      {"/api/v1/%2e%2e/me", 400},
      {"/api/v1/%2E/me", 400},
      {"/api/v1%2fme", 400},
      {"/api/v1/me%00", 400},
      {"/api/v1/me%5c", 400},
      {"/api/v1/%252e%252e/me", 400},
      {"/api/v1/me;a=b", 404},
      {"/API/v1/me", 404},
      {"/api/v1/%6de", 200},  // an ordinary letter, encoded: the decoded path counts
      {"/api/v1/me%", 400},
      {"/api/v1/me#x", 400},
      {"http://127.0.0.1/api/v1/me", 400},
      {"*", 400},
      {"/api/v1/me?x=1", 400},
      {"/api/v1/events?q=a&q=b", 400},
      {"/api/v1/nothing", 404},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(console.as_admin("GET", row.target).status, row.status) << row.target;
  }
}

TEST(Api, WrongMethodNamesTheRightOnes) {
  ConsoleUnderTest console;
  const HttpResponse answer = console.call("PATCH", "/api/v1/session");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.header("Allow"), "POST, DELETE");
  EXPECT_EQ(console.call("POST", "/").header("Allow"), "GET, HEAD");
}

TEST(Api, ForeignPagesCannotActForASession) {
  ConsoleUnderTest console;
  console.set_up();
  struct Row {
    const char* name;
    std::vector<Header> headers;
    int status;
  };
  const Header cookie{"Cookie", console.cookie};
  const Header custom{"X-Wafd-Csrf", "1"};
  const Row rows[] = {
      {"no custom header", {cookie}, 403},
      {"wrong custom header", {cookie, {"X-Wafd-Csrf", "0"}}, 403},
      {"foreign origin", {cookie, custom, {"Origin", "https://evil.example"}}, 403},
      {"origin without TLS", {cookie, custom, {"Origin", "http://127.0.0.1:8743"}}, 403},
      {"other port", {cookie, custom, {"Origin", "https://127.0.0.1:1"}}, 403},
      {"null origin", {cookie, custom, {"Origin", "null"}}, 403},
      {"two origins",
       {cookie, custom, {"Origin", "https://127.0.0.1:8743"}, {"Origin", "https://127.0.0.1:8743"}},
       403},
      {"cross-site", {cookie, custom, {"Sec-Fetch-Site", "cross-site"}}, 403},
      {"same-site", {cookie, custom, {"Sec-Fetch-Site", "same-site"}}, 403},
      {"own page",
       {cookie, custom, {"Origin", "https://127.0.0.1:8743"}, {"Sec-Fetch-Site", "same-origin"}},
       201},
      {"script with a session", {cookie, custom}, 201},
      {"token",
       {{"Authorization", "Bearer " + console.token(Role::kAdmin)}, {"Origin", "https://evil.example"}},
       201},
  };
  int number = 0;
  for (const Row& row : rows) {
    const std::string body = R"({"kind":"deny","cidr":"192.0.2.)" + std::to_string(++number) + "\"}";
    EXPECT_EQ(console.call("POST", "/api/v1/lists", body, row.headers).status, row.status) << row.name;
  }
  EXPECT_EQ(console
                .call("POST", "/api/v1/session", R"({"username":"admin","password":"violet-otter-41"})",
                      {{"Sec-Fetch-Site", "cross-site"}})
                .status,
            403);
}

TEST(Api, AMemberGivenTwiceIsRefused) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse answer =
      console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","kind":"allow","cidr":"10.0.0.0/8"})");
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_EQ(json_of(answer).at("member"), "kind");
  EXPECT_EQ(console.settings.current().version, 0u);
  EXPECT_FALSE(parse_settings(R"({"format":1,"lists":[],"lists":[]})"));
}

TEST(Api, BodiesMustBeJsonObjects) {
  ConsoleUnderTest console;
  console.set_up();
  EXPECT_EQ(console.as_admin("POST", "/api/v1/lists", "[]").status, 400);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/lists", "{\"kind\":").status, 400);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/lists", "{} x").status, 400);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/lists", std::string(60, '[') + std::string(60, ']')).status,
            400);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/lists", std::string(2u << 20, ' ')).status, 413);
  HttpRequest request;
  request.method = "POST";
  request.target = "/api/v1/session";
  request.body = "username=admin";
  request.headers = {{"Host", "x"}, {"Content-Type", "application/x-www-form-urlencoded"}};
  int status = 0;
  console.api.handle(request, [&](HttpResponse response) { status = response.status; });
  EXPECT_EQ(status, 415);
}

TEST(Api, NoIdentityComesFromOtherHeaders) {
  ConsoleUnderTest console;
  console.set_up();
  const std::vector<std::vector<Header>> rows = {
      {{"X-Forwarded-User", "admin"}},
      {{"X-Remote-User", "admin"}, {"X-Forwarded-For", "127.0.0.1"}},
      {{"Authorization", "Basic YWRtaW46dmlvbGV0LW90dGVyLTQx"}},
      {{"Authorization", "Bearer wafd_wrong"}, {"Cookie", console.cookie}},  // a bad token is not passed over
      {{"Cookie", console.cookie + "; " + console.cookie}},                  // two session cookies: none
      {{"Cookie", console.cookie.substr(7)}},                                // without the __Host- prefix
  };
  for (const auto& headers : rows)
    EXPECT_EQ(console.call("GET", "/api/v1/me", "", headers).status, 401) << headers[0].name;
}

TEST(Api, ProblemsAreProblemDocuments) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse answer = console.as_admin("POST", "/api/v1/syslog/targets",
                                               R"({"name":"x","transport":"udp","host":"h","port":99999})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(type_of(answer), "validation");
  EXPECT_EQ(json_of(answer).at("member").as_string(), "port");
  const HttpResponse query = console.as_admin("GET", "/api/v1/events?q=nofield:x%28");
  EXPECT_EQ(query.status, 400);
  EXPECT_EQ(json_of(query).at("member").as_string(), "q");
  EXPECT_TRUE(json_of(query).at("offset").is_number());
  const auto value = json_of(console.as_admin("GET", "/api/v1/events?q=risk:high%20type:"));
  EXPECT_EQ(value.at("detail").as_string(), "q: at character 16: expected a value behind the colon");
  EXPECT_EQ(value.at("offset"), 15);
  EXPECT_EQ(value.at("expected").as_string(), "expected a value behind the colon");
}

TEST(Api, AnIdOfARequestThatNobodyJudgedSaysSo) {
  ConsoleUnderTest console;
  console.set_up();
  const EventId id = EventId::make_unjudged(console.random);
  EXPECT_TRUE(id.is_unjudged());
  EXPECT_FALSE(EventId::make(console.random).is_unjudged());
  const HttpResponse answer = console.as_admin("GET", "/api/v1/events/" + id.text());
  EXPECT_EQ(answer.status, 404);
  EXPECT_NE(json_of(answer).at("detail").as_string().find("too late to be judged"), std::string::npos);
}

TEST(Api, AParameterGivenTwiceIsRefusedByOperationsNotByThePage) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse refused = console.as_admin("GET", "/api/v1/events?q=a&q=b");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(json_of(refused).at("offset"), 19);
  const HttpResponse page = console.call("GET", "/?q=a&q=b");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
}

// A search ends when it has taken too long, and says so; and when nobody waits for it any more.
TEST(Api, ASearchIsBounded) {
  ConsoleUnderTest console;
  console.set_up();
  for (std::uint64_t i = 1; i <= 1000; ++i)
    ASSERT_TRUE(console.ring->append(test::make_event(i, console.clock.unix_us() / 1000)));
  constexpr const char* kSearches[] = {
      "/api/v1/events?q=nowhere-to-be-found", "/api/v1/events/histogram?q=nowhere-to-be-found",
      "/api/v1/events/top?field=host&q=login", "/api/v1/events/groups?by=tuning&q=login"};
  for (const char* search : kSearches) {
    EXPECT_EQ(console.as_admin("GET", search).status, 200) << search;
    console.clock.each_look_us = 16'000'000;
    const HttpResponse late = console.as_admin("GET", search);
    console.clock.each_look_us = 0;
    EXPECT_EQ(late.status, 503) << search;
    EXPECT_NE(late.body.find("longer than 15 s"), std::string::npos) << late.body;
  }
  // The work behind each of them asks after every turn whether to go on.
  EventFilter filter;
  filter.query = *forward::EventQuery::parse("login");
  std::size_t given = 0;
  std::size_t asked = 0;
  filter.stop = [&] { return ++asked == 2; };
  forward::RingReader reader(*console.ring);
  EXPECT_FALSE(scan_all(reader, filter, console.ring->end(), [&](const forward::RecordView&) {
    ++given;
    return true;
  }));
  EXPECT_GT(given, 0u);
  EXPECT_LT(given, 1000u);
}

TEST(Api, AnswersUnderItsOwnNamesAlone) {
  ConsoleUnderTest console;
  console.set_up();
  const auto status = [&](const std::string& host) {
    HttpRequest request;
    request.method = "GET";
    request.target = "/healthz";
    request.headers = {{"Host", host}};
    int got = 0;
    console.api.handle(std::move(request), [&](HttpResponse answer) { got = answer.status; });
    return got;
  };
  EXPECT_EQ(status("evil.example"), 200) << "no names are given: any";
  console.services.hosts = {"waf.example"};
  for (const char* good :
       {"waf.example", "WAF.example:8743", "127.0.0.1:8743", "192.0.2.7", "[::1]:8743", "localhost:8743"})
    EXPECT_EQ(status(good), 200) << good;
  for (const char* bad :
       {"evil.example", "evil.example:8743", "waf.example.evil.example", "", "127.0.0.1.evil.example"})
    EXPECT_EQ(status(bad), 421) << bad;
}

// Who is refused, and who takes everything with them, is in the audit log; its lines are a chain.
TEST(Api, RefusalsAndExportsAreAudited) {
  ConsoleUnderTest console;
  EXPECT_EQ(
      console
          .call("POST", "/api/v1/setup", R"({"token":"wrong","username":"a","password":"violet-otter-41"})")
          .status,
      403);
  console.set_up();
  const std::string viewer = console.token(Role::kViewer);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(console.call("POST", "/api/v1/sites", "{}", {{"Authorization", "Bearer " + viewer}}).status,
              403);
  EXPECT_EQ(console.as_admin("GET", "/api/v1/events/export?format=csv&q=type:sqli").status, 200);
  const auto entries = json_of(console.as_admin("GET", "/api/v1/audit")).at("entries").as_array();
  std::map<std::string, int> actions;
  for (const auto& entry : entries) ++actions[std::string(entry.at("action").as_string())];
  EXPECT_EQ(actions["setup.refused"], 1);
  EXPECT_EQ(actions["request.refused"], 1) << "not each of many";
  EXPECT_EQ(actions["events.export"], 1);
}

TEST(Api, DamageOfTheAuditLogShows) {
  test::TempFolder folder;
  const std::string path = folder.path + "/audit.log";
  {
    auto log = test::must(AuditLog::open(folder.path));
    for (int i = 0; i < 20; ++i)
      ASSERT_TRUE(log.append({i, "admin", "session", "192.0.2.1", "site.change", "7", {}}));
  }
  EXPECT_EQ(test::must(AuditLog::open(folder.path)).damage(), "");
  {
    auto log = test::must(AuditLog::open(folder.path));
    ASSERT_TRUE(log.append({99, "admin", "session", "192.0.2.1", "site.change", "7", {}}));
  }
  EXPECT_EQ(test::must(AuditLog::open(folder.path)).damage(), "") << "it goes on over a restart";
  const std::string sound = test::must(read_file(path, 1u << 20));
  const auto write = [&](const std::string& text) { std::ofstream(path, std::ios::trunc) << text; };
  const auto damage = [&] { return test::must(AuditLog::open(folder.path)).damage(); };
  std::string changed = sound;
  changed.replace(changed.find("192.0.2.1"), 9, "192.0.2.2");
  write(changed);
  EXPECT_NE(damage().find("entry 1 was changed"), std::string::npos) << damage();
  // A line that is gone from the middle.
  const std::size_t third = sound.find("{\"seq\":3,"), fourth = sound.find("{\"seq\":4,");
  write(sound.substr(0, third) + sound.substr(fourth));
  EXPECT_NE(damage().find("entry 4"), std::string::npos) << damage();
  // Whatever byte before the last line is changed, it is noticed.
  int noticed = 0;
  for (int i = 0; i < 200; ++i) {
    std::string torn = sound;
    const std::size_t at = (static_cast<std::size_t>(i) * 7919) % (sound.size() - 1);
    torn[at] = torn[at] == 'x' ? 'y' : 'x';
    write(torn);
    EXPECT_NE(damage(), "") << at << " of " << sound.size();
    ++noticed;
  }
  EXPECT_EQ(noticed, 200);
}

// The chain alone does not show what is cut off at its end: audit.head does.
TEST(Api, LinesThatAreCutOffTheAuditLogShow) {
  test::TempFolder folder;
  const std::string path = folder.path + "/audit.log";
  const AuditEntry entry{1, "admin", "session", "192.0.2.1", "site.change", "7", {}};
  const auto append = [&](int count) {
    auto log = test::must(AuditLog::open(folder.path));
    for (int i = 0; i < count; ++i) EXPECT_TRUE(log.append(entry));
  };
  append(20);
  const std::string sound = test::must(read_file(path, 1u << 20));
  const std::string head = test::must(read_file(folder.path + "/audit.head", 1u << 14));
  const auto write = [](const std::string& name, const std::string& text) {
    std::ofstream(name, std::ios::trunc) << text;
  };
  const auto damage = [&] { return test::must(AuditLog::open_to_read(folder.path)).damage(); };
  EXPECT_EQ(damage(), "");
  const std::size_t nineteenth = sound.find("{\"seq\":19,");
  write(path, sound.substr(0, nineteenth));
  EXPECT_EQ(damage(), path + ": entries 19 to 20 at its end are missing");
  write(path, "");
  EXPECT_EQ(damage(), path + ": entries 1 to 20 at its end are missing");
  // The last line in other words, its chain made anew.
  write(path, sound);
  write(folder.path + "/audit.head", audit_slot({20, std::string(64, '0')}));
  EXPECT_EQ(damage(), path + ": entry 20 was changed: audit.head has another chain of it");
  std::filesystem::remove(folder.path + "/audit.head");
  EXPECT_NE(damage().find("audit.head is missing"), std::string::npos) << damage();
  // A crash between line and head, or within a line, is no damage.
  write(folder.path + "/audit.head", head);
  append(1);
  write(folder.path + "/audit.head", head);
  EXPECT_EQ(damage(), "");
  std::ofstream(path, std::ios::app) << "{\"seq\":22,\"ti";
  EXPECT_EQ(damage(), "");
  append(2);  // the rest of it is gone
  EXPECT_EQ(damage(), "");
  // That the log was cut stays visible, however much is appended afterwards.
  write(path, sound.substr(0, nineteenth));
  append(3);
  EXPECT_NE(damage(), "");
  EXPECT_EQ(test::must(AuditLog::open(folder.path)).next_seq(), 27u);
}

// A write that is cut short by the system, as a full disk does it.
TEST(Api, ALineThatDidNotFitLeavesNothingInTheAuditLog) {
  test::TempFolder folder;
  const AuditEntry entry{1, "admin", "session", "192.0.2.1", "site.change", "7", {}};
  auto log = test::must(AuditLog::open(folder.path));
  ASSERT_TRUE(log.append(entry));
  const std::string sound = test::must(read_file(folder.path + "/audit.log", 1u << 20));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t room : {0, 1, 40}) {
    const rlimit little{sound.size() + room, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    const auto refused = log.append(entry);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("cannot write " + folder.path + "/audit.log: "), std::string::npos)
        << refused.error().what;
    EXPECT_EQ(test::must(read_file(folder.path + "/audit.log", 1u << 20)), sound);
  }
  signal(SIGXFSZ, ignored);
  ASSERT_TRUE(log.append(entry));
  EXPECT_EQ(log.read(10, {}).entries.size(), 2u);
  const auto again = test::must(AuditLog::open_to_read(folder.path));
  EXPECT_EQ(again.damage(), "");
  EXPECT_EQ(again.next_seq(), 3u);
}

}  // namespace
}  // namespace wafd::console
