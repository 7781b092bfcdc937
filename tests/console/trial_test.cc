// Judging again with a draft.
#include "console/settings/trial.h"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "console/api/api.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

constexpr const char* kRules =
    R"({"rules":[{"id":"certain","name":"Certain","attack_type":"sqli","risk":"high","denies_from":"low","expression":"evil"},)"
    R"({"id":"doubtful","name":"Doubtful","attack_type":"xss","risk":"low","denies_from":"strict","expression":"maybe"}]})";

std::shared_ptr<const detect::Engine> engine() {
  const detect::RuleFile files[] = {{"test", kRules}};
  detect::Engine::Options options;
  options.builtin_rules = false;
  return detect::Engine::build(std::vector<std::unique_ptr<detect::Analyzer>>(), files, options).value();
}

class Trials : public ::testing::Test {
 protected:
  Trials() { console_.set_up(); }

  HttpResponse ask(const std::string& request, const std::string& more) {
    return console_.as_admin("POST", "/api/v1/inspect",
                             "{\"request\":" + boost::json::serialize(boost::json::string(request)) +
                                 (more.empty() ? "" : "," + more) + "}");
  }
  // "now -> with the draft"
  std::string tried(const std::string& request, const std::string& draft, const std::string& more = {}) {
    const auto answer = ask(request, "\"draft\":" + draft + more);
    if (answer.status != 200)
      return std::to_string(answer.status) + " " + std::string(json_of(answer).at("detail").as_string());
    const auto body = json_of(answer);
    return std::string(body.at("action").as_string()) + " -> " +
           std::string(body.at("draft").at("action").as_string());
  }

  ConsoleUnderTest console_{engine()};
};

TEST_F(Trials, VerdictNowAndWithTheDraft) {
  const std::string evil = "GET /a?x=evil HTTP/1.1\nHost: shop.example\n\n";
  const std::string maybe = "POST /a HTTP/1.1\nHost: shop.example\n\nx=maybe";
  EXPECT_EQ(tried(evil, "{}"), "deny -> deny");
  EXPECT_EQ(tried(evil, R"({"exception":{"path":"/a","location":"query"}})"), "deny -> allow");
  EXPECT_EQ(tried(evil, R"({"exception":{"path":"/b"}})"), "deny -> deny");
  EXPECT_EQ(tried(evil, R"({"exception":{"path":"/a","enabled":false}})"), "deny -> allow");
  EXPECT_EQ(tried(evil, R"({"exception":{"path":"/a","expires_s":5}})"), "deny -> deny");
  EXPECT_EQ(tried(evil, R"({"site":{"mode":"monitor"}})"), "deny -> monitor");
  EXPECT_EQ(tried(evil, R"({"site":{"sensitivity_by_type":{"sqli":"off"}}})"), "deny -> allow");
  EXPECT_EQ(tried(maybe, R"({"sensitivity":"strict"})"), "allow -> deny");
  EXPECT_EQ(tried(maybe, R"({"site":{"sensitivity":"strict"}})"), "allow -> deny");
  EXPECT_EQ(
      tried(
          "GET /x HTTP/1.1\n\n",
          R"({"rule":{"id":"new","name":"N","attack_type":"custom","risk":"low","location":"urlpath","expression":"^/x$"}})"),
      "allow -> deny");
  // A rule of an id that is in use takes its place.
  EXPECT_EQ(
      tried(
          evil,
          R"({"rule":{"id":"certain","name":"N","attack_type":"sqli","risk":"low","expression":"nothing-here"}})"),
      "deny -> allow");
  // Nothing was kept of all this.
  EXPECT_EQ(tried(maybe, "{}"), "allow -> allow");
  EXPECT_TRUE(console_.settings.current().policy.exceptions.empty());
}

TEST_F(Trials, TellsWhatExceptionsAndListsDid) {
  const auto made = json_of(console_.as_admin("POST", "/api/v1/exceptions", R"({"path":"/a"})"));
  console_.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"192.0.2.0/24"})");
  auto body =
      json_of(ask("GET /a?x=evil HTTP/1.1\nHost: a\n\n", R"("draft":{"exception":{"attack_type":"sqli"}})"));
  EXPECT_EQ(body.at("findings").at(0).at("excepted_by"), made.at("id"));
  EXPECT_EQ(body.at("draft").at("findings").at(0).at("excepted_by"), "draft");
  EXPECT_TRUE(body.at("list").is_null());
  body = json_of(ask("GET /a HTTP/1.1\nHost: a\n\n", R"("src_ip":"192.0.2.9")"));
  EXPECT_EQ(body.at("action"), "deny");
  EXPECT_EQ(body.at("list").at("cidr"), "192.0.2.0/24");
}

TEST_F(Trials, SpansPointIntoTheRequest) {
  const std::string request = "POST /a HTTP/1.1\r\nX: evil\r\n\r\nb=1&c=%6daybe";
  const auto body = json_of(ask(request, ""));
  ASSERT_EQ(body.at("findings").as_array().size(), 2u);
  const std::size_t head = request.find("\r\n\r\n") + 4;
  std::map<std::string, std::string> cut;
  for (const auto& finding : body.at("findings").as_array()) {
    const auto& span = finding.at("span");
    const std::string part = span.at("part") == "head" ? request.substr(0, head) : request.substr(head);
    const auto begin = span.at("begin").to_number<std::size_t>();
    cut[std::string(finding.at("payload").as_string())] =
        part.substr(begin, span.at("end").to_number<std::size_t>() - begin);
  }
  EXPECT_EQ(cut["evil"], "evil");
  EXPECT_NE(cut["maybe"].find("%6daybe"), std::string::npos);
}

TEST_F(Trials, MistakesAreNamed) {
  const struct {
    const char* draft;
    const char* detail;
  } rows[] = {
      {R"({"sensitivity":"loud"})", "422 draft.sensitivity: expected low, balanced or strict"},
      {R"({"exception":{"comment":"all"}})", "422 draft.exception.path: expected at least one of"},
      {R"({"exception":{"location":"moon"}})", "422 draft.exception.location: expected"},
      {R"({"site":{"mode":"on"}})", "422 draft.site.mode: expected block, monitor or off"},
      {R"({"surprise":1})", "422 draft.surprise: "},
      {R"({"rule":7})", "422 draft.rule: expected text"},
      {R"({"rule":{"id":"a"}})", "422 draft.rule: rule:1: rule \"a\": "},
      {R"({"rule":"{\n  \"id\": \"a\",\n  \"name\": }"})", "422 draft.rule: rule:3: not JSON"},
      {R"({"rule":"{},{}"})", "422 draft.rule: rule:1: "},
      {R"({"rule":{"id":"a","name":"N","attack_type":"custom","risk":"low","expression":"(("}})",
       "422 draft.rule: rule:1: rule \"a\": \"expression\" ((: "},
      {R"({"rule":{"id":"a","name":"N","attack_type":"custom","risk":"low","expression":"(.{0,30000}x){30000}"}})",
       "422 draft.rule: rule:1: rule \"a\": \"expression\" "},
  };
  for (const auto& row : rows) {
    const std::string got = tried("GET / HTTP/1.1\n\n", row.draft);
    EXPECT_EQ(got.substr(0, std::string(row.detail).size()), row.detail) << row.draft << "\n" << got;
  }
  EXPECT_EQ(ask("x", R"("src_ip":"home")").status, 422);
  EXPECT_EQ(ask("x", R"("draft":7)").status, 422);
}

// Work that is taken and not done, as on threads that have other things to do.
class Waiting final : public Background {
 public:
  Taken take(Task task) override {
    waiting.push_back(std::move(task.done));
    return Taken::kYes;
  }
  std::vector<std::function<void()>> waiting;
};

TEST_F(Trials, FewDraftsOfRulesAtATime) {
  Waiting background;
  Services services{.node = console_.services.node,
                    .clock = console_.clock,
                    .random = console_.random,
                    .credentials = console_.credentials,
                    .login_guard = console_.guard,
                    .setup = console_.setup,
                    .password_cost = {64, 1},
                    .settings = console_.settings,
                    .audit_log = console_.audit_log,
                    .ring = *console_.ring,
                    .delivery = console_.delivery,
                    .engine = console_.services.engine,
                    .collect = console_.services.collect,
                    .take_hits = console_.services.take_hits,
                    .hits = console_.hits,
                    .console_status = console_.services.console_status,
                    .ready = console_.services.ready,
                    .post = console_.services.post,
                    .background = background};
  Api api(services, test::kPage);
  std::vector<std::shared_ptr<HttpResponse>> answers;
  const auto ask_api = [&](const std::string& draft) {
    HttpRequest request;
    request.method = "POST";
    request.target = "/api/v1/inspect";
    request.body = R"({"request":"GET / HTTP/1.1","draft":)" + draft + "}";
    request.peer = "192.0.2.10";
    request.headers = {{"Host", "127.0.0.1:8743"},
                       {"Content-Type", "application/json"},
                       {"Cookie", console_.cookie},
                       {"X-Wafd-Csrf", "1"}};
    auto answer = std::make_shared<HttpResponse>();
    answer->status = 0;
    answers.push_back(answer);
    api.handle(std::move(request), [answer](HttpResponse response) { *answer = std::move(response); });
  };
  const std::string rule = R"({"rule":{"id":"a"}})";
  ask_api(rule);
  ask_api(rule);
  ask_api(rule);
  ask_api("{}");  // has nothing to compile
  EXPECT_EQ(answers[0]->status, 0);
  EXPECT_EQ(answers[2]->status, 429);
  EXPECT_EQ(answers[3]->status, 0);
  EXPECT_EQ(background.waiting.size(), 3u);
  background.waiting.front()();
  ask_api(rule);
  EXPECT_EQ(answers[4]->status, 0);
}

}  // namespace
}  // namespace wafd::console
