// One success of every operation, checked against the schema that the OpenAPI document promises for it.
#include "console/api/routing/openapi.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "console/api/schemas/schemas.h"
#include "console/credentials/totp.h"
#include "detect/engine.h"
#include "tests/support/console_api.h"
#include "tests/support/json_schema.h"
#include "tests/support/oidc_provider.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

class EveryOperation : public ::testing::Test {
 protected:
  // A code of the admin's authenticator, each call a later one.
  std::string code() {
    const SecondFactor& factor = console_.credentials.user("admin")->second_factor;
    const std::string& hex = factor.on() ? factor.secret : factor.pending;
    std::string key;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
      key += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    console_.clock.advance_ms(kTotpStepMs);
    const std::int64_t step = console_.clock.unix_us() / 1000 / kTotpStepMs;
    return R"({"code":")" + hotp(key, static_cast<std::uint64_t>(step)) + R"("})";
  }

  void second_factor() {
    done("getSecondFactor", "/api/v1/me/second-factor");
    done("beginSecondFactor", "/api/v1/me/second-factor", R"({"password":"amber-falcon-77"})");
    done("confirmSecondFactor", "/api/v1/me/second-factor", code());
    done("renewRecoveryCodes", "/api/v1/me/recovery-codes", code());
    done("removeSecondFactor", "/api/v1/me/second-factor/removal", code());
    done("removeSecondFactorOf", "/api/v1/users/admin/second-factor");
  }

  // Somebody goes to the provider and comes back, and logs out; the admin's session goes on.
  void oidc() {
    test::Answers provider;
    console_.services.fetch = [&provider](const WebRequest& request) { return provider(request); };
    const auto before = done("getOidc", "/api/v1/oidc");
    EXPECT_EQ(before.at("enabled"), false);
    done("changeOidc", "/api/v1/oidc",
         R"({"enabled":true,"issuer":"https://id.example","client_id":"wafd","admin_groups":["ops"]})");
    const auto stored = done("getOidc", "/api/v1/oidc");
    EXPECT_EQ(done("changeOidc", "/api/v1/oidc", boost::json::serialize(stored)), stored);
    EXPECT_EQ(done("checkOidc", "/api/v1/oidc/check", boost::json::serialize(stored)).at("ok"), true);
    EXPECT_EQ(done("getOidcSignIn", "/api/v1/session/oidc", "", true).at("label"), "id.example");
    const auto begun = done("beginOidcSignIn", "/api/v1/session/oidc");
    const std::string url(begun.at("url").as_string());
    const auto parameter = [&url](const std::string& name) {
      const std::size_t at = url.find("&" + name + "=") + name.size() + 2;
      return url.substr(at, url.find('&', at) - at);
    };
    provider.claims["nonce"] = parameter("nonce");
    const std::string admin = console_.cookie;
    console_.cookie = sign_in_cookie_;
    done("finishOidcSignIn", "/api/v1/session/oidc",
         R"({"code":"c","state":")" + parameter("state") + R"("})");
    console_.cookie = session_cookie_;
    done("logOutOidc", "/api/v1/session/oidc");
    console_.cookie = admin;
    console_.services.fetch = {};
  }

  void fleet() {
    class OneNode final : public FleetNodes {
     public:
      OneNode() {
        facts_.asked = true;
        facts_.nodes.resize(1);
        facts_.nodes[0].targets.resize(1);
      }
      const FleetFacts& facts() override { return facts_; }
      void look() override {}
      Result<std::vector<std::string>> forget(const std::string&) override { return {{"edge"}}; }

     private:
      FleetFacts facts_;
    };
    console_.services.fleet_nodes = std::make_shared<OneNode>();
    done("getFleet", "/api/v1/fleet");
    done("getStatus", "/api/v1/status");
    done("forgetNode", "/api/v1/fleet/nodes/a");
    console_.services.fleet_nodes = nullptr;
  }

  // Does the operation, checks status, type and body; remembers that it was done.
  boost::json::value done(const std::string& operation, const std::string& target,
                          const std::string& body = {}, bool anonymous = false) {
    const Route* route = nullptr;
    for (const Route& candidate : console_.api.routes()) {
      if (candidate.operation == operation) route = &candidate;
    }
    if (route == nullptr) {
      ADD_FAILURE() << "no operation " << operation;
      return {};
    }
    if (!route->request.empty()) {
      const auto wrong = checker_.check(boost::json::parse(body), schemas().at(route->request));
      EXPECT_EQ(wrong, "") << operation << ": the request";
    }
    if (route->if_match) {
      EXPECT_EQ(console_.as_admin(route->method, target, body, {{"If-Match", "\"another\""}}).status, 412)
          << operation << ": a change based on another state";
    }
    HttpResponse answer = anonymous ? console_.call(route->method, target, body)
                                    : console_.as_admin(route->method, target, body);
    EXPECT_EQ(answer.status, route->success) << operation << ": " << answer.body;
    const std::string set(answer.header("Set-Cookie"));
    if (operation == "beginOidcSignIn") sign_in_cookie_ = set.substr(0, set.find(';'));
    if (operation == "finishOidcSignIn") session_cookie_ = set.substr(0, set.find(';'));
    const bool tries =
        operation == "beginOidcSignIn" || operation.starts_with("preview") || operation == "inspect";
    const bool written = console_.delivery.audited.size() > audited_;
    EXPECT_EQ(written, (route->method != "GET" && !tries) || operation == "exportEvents")
        << operation << ": what changes something, or takes everything, is written down";
    audited_ = console_.delivery.audited.size();
    if (operation == "logIn") console_.take_cookie(answer);
    seen_.insert(operation);
    if (answer.stream) {
      std::string text;
      while (answer.stream->pull(text, 1u << 16, console_.clock.unix_us() / 1000) ==
             BodySource::Next::kMore) {
      }
      EXPECT_FALSE(text.empty()) << operation;
      return {};
    }
    if (route->answer.empty()) return {};
    EXPECT_EQ(answer.header("Content-Type"), route->answer_type) << operation;
    const boost::json::value value = json_of(answer);
    EXPECT_EQ(checker_.check(value, schemas().at(route->answer)), "") << operation;
    if (value.is_object() && value.as_object().contains("etag")) {
      EXPECT_EQ(answer.header("ETag"), '"' + std::string(value.at("etag").as_string()) + '"') << operation;
    }
    return value;
  }

  static std::shared_ptr<const detect::Engine> engine() {
    detect::Engine::Options options;
    options.builtin_rules = true;
    auto built = detect::Engine::build({}, options);
    return built ? std::shared_ptr<const detect::Engine>(std::move(*built)) : nullptr;
  }

  ConsoleUnderTest console_{engine()};
  test::SchemaChecker checker_{schemas()};
  std::set<std::string> seen_;
  std::string sign_in_cookie_, session_cookie_;
  std::size_t audited_ = 0;
};

TEST_F(EveryOperation, AnswersByItsSchema) {
  ASSERT_NE(console_.engine, nullptr);
  done("getHealth", "/healthz", "", true);
  done("getReadiness", "/readyz", "", true);
  done("getOpenApi", "/api/v1/openapi.json", "", true);
  done("getSetup", "/api/v1/setup", "", true);
  const std::string token = console_.setup.token();
  done("setUp", "/api/v1/setup",
       R"({"token":")" + token + R"(","username":"admin","password":"violet-otter-41"})", true);
  done("logIn", "/api/v1/session", R"({"username":"admin","password":"violet-otter-41"})", true);
  done("getMe", "/api/v1/me");
  done("setPreferences", "/api/v1/me/preferences", R"({"language":"zh-CN","time_zone":"Asia/Shanghai"})");
  const auto sessions = done("listSessions", "/api/v1/sessions");
  for (const auto& session : sessions.at("sessions").as_array()) {
    if (session.at("current") == false)
      done("endSession", "/api/v1/sessions/" + std::string(session.at("id").as_string()));
  }
  done("changePassword", "/api/v1/me/password",
       R"({"current":"violet-otter-41","password":"amber-falcon-77"})");

  for (std::uint64_t i = 1; i <= 3; ++i)
    ASSERT_TRUE(console_.ring->append(test::make_event(i, console_.clock.unix_us() / 1000)));
  done("listEvents", "/api/v1/events?limit=2&q=type:sqli");
  done("getEvent", "/api/v1/events/00000000000000000000000000000002");
  done("unmaskEvent", "/api/v1/events/00000000000000000000000000000002/unmask");
  done("countEventsByTime", "/api/v1/events/histogram?buckets=10");
  done("countEvents", "/api/v1/events/counts?buckets=10&top=src,path&q=needle&tab=1");
  done("countEventsByValue", "/api/v1/events/top?field=src");
  done("groupEvents", "/api/v1/events/groups?by=sources");
  done("groupEvents", "/api/v1/events/groups?by=tuning");
  done("groupEvents", "/api/v1/events/groups?by=attackers&q=is:open");
  done("getTriage", "/api/v1/triage?events=00000000000000000000000000000002");
  done(
      "setTriage", "/api/v1/triage",
      R"({"events":["00000000000000000000000000000002"],"state":"closed","label":"false_positive","note":"ours"})");
  done("pinEvent", "/api/v1/pins/00000000000000000000000000000002");
  done("listPins", "/api/v1/pins");
  fleet();
  done("unpinEvent", "/api/v1/pins/00000000000000000000000000000002");
  const auto view =
      done("addView", "/api/v1/views", R"({"name":"Mine","query":"q=is%3Aopen","shared":true})");
  done("listViews", "/api/v1/views");
  done("removeView", "/api/v1/views/" + std::string(view.at("id").as_string()));
  done("listQueryFields", "/api/v1/events/fields");
  const auto line = done("getEventMessage", "/api/v1/events/00000000000000000000000000000002/syslog");
  EXPECT_TRUE(std::string_view(line.at("message").as_string())
                  .starts_with("<26>1 2023-11-14T22:13:20.000+00:00 node-1 wafd 1 waf_event - {"));
  done("previewException", "/api/v1/exceptions/preview",
       R"({"attack_type":"sqli","event_id":"00000000000000000000000000000002"})");
  done("exportEvents", "/api/v1/events/export?format=csv");
  done("tailEvents", "/api/v1/events/stream");

  const auto target = done("addTarget", "/api/v1/syslog/targets",
                           R"({"name":"siem","transport":"tcp","host":"192.0.2.5","port":1514})");
  const std::string target_path = "/api/v1/syslog/targets/" + std::string(target.at("id").as_string());
  done("listTargets", "/api/v1/syslog/targets");
  const auto read = done("getTarget", target_path);
  done("changeTarget", target_path, boost::json::serialize(read));  // what was read can be put back
  const auto presets = done("listPresets", "/api/v1/syslog/presets");
  for (const auto& preset : presets.at("presets").as_array()) {
    const auto one = done("getPreset", "/api/v1/syslog/presets/" + std::string(preset.at("id").as_string()));
    for (const auto& snippet : one.at("snippets").as_array())
      EXPECT_GT(snippet.at("text").as_string().size(), 100u) << snippet.at("name");
  }
  done("previewTarget", "/api/v1/syslog/preview",
       R"({"transport":"tcp","host":"siem.example","content":"cef"})");
  done("testTarget", "/api/v1/syslog/test", R"({"transport":"udp","host":"127.0.0.1","send":"sample"})");
  done("getStatus", "/api/v1/status");
  done("getTraffic", "/api/v1/traffic");
  done("getMetrics", "/metrics");
  done("removeTarget", target_path);

  const auto channel = done(
      "addChannel", "/api/v1/notify/channels",
      R"({"name":"Chat","kind":"webhook","url":"https://hooks.example/x","secret":"k","format":"slack"})");
  const std::string channel_id(channel.at("id").as_string());
  const std::string channel_path = "/api/v1/notify/channels/" + channel_id;
  done("listChannels", "/api/v1/notify/channels");
  EXPECT_EQ(done("changeChannel", channel_path, boost::json::serialize(done("getChannel", channel_path))),
            channel);
  done("testChannel", "/api/v1/notify/test", R"({"id":")" + channel_id + R"("})");
  const auto alert =
      done("addAlert", "/api/v1/notify/alerts",
           R"({"name":"Many","when":"matches","query":"type:sqli","channels":[")" + channel_id + R"("]})");
  const std::string alert_path = "/api/v1/notify/alerts/" + std::string(alert.at("id").as_string());
  done("listAlerts", "/api/v1/notify/alerts");
  EXPECT_EQ(done("changeAlert", alert_path, boost::json::serialize(done("getAlert", alert_path))), alert);
  console_.notifier.shown.channels = {{channel_id, 1, 5, 0}};
  console_.notifier.shown.history = {{1, channel_id, "Chat", "wafd node-1: x", 1, 1, true, "Accepted."}};
  done("getNotifyStatus", "/api/v1/notify/status");
  console_.notifier.counts.add_requests(console_.clock.unix_us() / 1000, 7, 1);
  EXPECT_EQ(done("getReport", "/api/v1/report").at("totals").at("requests"), 7);
  done("removeAlert", alert_path);
  done("removeChannel", channel_path);

  struct Collection {
    const char* name;
    const char* one;
    const char* many;
    const char* body;
    const char* id;
  };
  constexpr Collection kCollections[] = {
      {"sites", "Site", "Sites",
       R"({"name":"Shop","hosts":["shop.example"],"sensitivity_by_type":{"sqli":"strict","scanner":"off"}})",
       "uuid"},
      {"exceptions", "Exception", "Exceptions", R"({"path":"/user/*/edit","attack_type":"xss"})", "id"},
      {"lists", "ListEntry", "Lists", R"({"kind":"deny","cidr":"192.0.2.0/24"})", "id"},
  };
  for (const Collection& c : kCollections) {
    const std::string all = std::string("/api/v1/") + c.name;
    const auto made = done(std::string("add") + c.one, all, c.body);
    const std::string one = all + "/" + std::string(made.at(c.id).as_string());
    done(std::string("list") + c.many, all);
    const auto present = done(std::string("get") + c.one, one);
    EXPECT_EQ(present, made);
    EXPECT_EQ(done(std::string("change") + c.one, one, boost::json::serialize(present)), present);
    done(std::string("remove") + c.one, one);
  }
  EXPECT_EQ(
      done("importLists", "/api/v1/lists/import", R"({"text":"203.0.113.0/24\n198.51.100.7 # scans\n"})")
          .at("added"),
      2);
  done("exportLists", "/api/v1/lists/export");
  EXPECT_EQ(done("getSource", "/api/v1/sources/203.0.113.9").at("lists").as_array().size(), 1u);
  const auto versions = done("listSettingsVersions", "/api/v1/settings/versions");
  ASSERT_GT(versions.at("versions").as_array().size(), 5u);
  const std::string earlier = std::to_string(versions.at("versions").at(4).at("version").as_int64());
  EXPECT_FALSE(
      done("getSettingsVersion", "/api/v1/settings/versions/" + earlier).at("settings").as_object().empty());
  done("restoreSettings", "/api/v1/settings/restore", R"({"version":)" + earlier + "}");
  const auto node = done("getSystem", "/api/v1/system");
  EXPECT_EQ(done("changeSystem", "/api/v1/system", boost::json::serialize(node)), node);
  console_.services.config = {{"time_zone", "Europe/Berlin", "UTC", "IANA name"}};
  EXPECT_EQ(done("getConfiguration", "/api/v1/config").at("keys").at(0).at("value"), "Europe/Berlin");
  done("getCertificate", "/api/v1/certificate");
  EXPECT_EQ(
      done("uploadCertificate", "/api/v1/certificate", R"({"certificate":"CN=b","key":"k"})").at("source"),
      "uploaded");
  EXPECT_EQ(done("removeCertificate", "/api/v1/certificate").at("source"), "self_signed");
  done("addRules", "/api/v1/rules",
       R"({"text":"{\"id\":\"mine\",\"name\":\"Mine\",\"attack_type\":\"custom\",\"risk\":\"low\",)"
       R"(\"location\":\"urlpath\",\"expression\":\"^/never-seen\"}"})");
  done("changeRule", "/api/v1/rules/mine", R"({"enabled":false})");
  EXPECT_EQ(done("listRules", "/api/v1/rules").at("own").as_array().size(), 1u);
  done("removeRule", "/api/v1/rules/mine");
  EXPECT_FALSE(done("listRules", "/api/v1/rules").at("rules").as_array().empty());
  const auto inspected =
      done("inspect", "/api/v1/inspect",
           R"({"request":"GET /webshell.php HTTP/1.1\r\nHost: a\r\n\r\n","sensitivity":"strict"})");
  EXPECT_EQ(inspected.at("action").as_string(), "deny");
  EXPECT_FALSE(inspected.at("findings").as_array().empty());
  EXPECT_TRUE(inspected.at("draft").is_null());
  const auto tried =
      done("inspect", "/api/v1/inspect",
           R"({"request":"GET /?a=1 HTTP/1.1\nHost: a\n\n","src_ip":"192.0.2.1","draft":{)"
           R"("rule":{"id":"one","name":"One","attack_type":"custom","risk":"low","expression":"^1$"},)"
           R"("exception":{"path":"/x"},"sensitivity":"strict","site":{"mode":"monitor"}}})");
  EXPECT_EQ(tried.at("action").as_string(), "allow");
  EXPECT_EQ(tried.at("draft").at("action").as_string(), "monitor");
  done("listUnknownHosts", "/api/v1/sites/unknown");

  done("addUser", "/api/v1/users", R"({"username":"eve","role":"viewer","password":"violet-otter-42"})");
  done("listUsers", "/api/v1/users");
  done("changeUser", "/api/v1/users/eve", R"({"role":"operator"})");
  done("endSessionsOf", "/api/v1/users/eve/sessions");
  done("removeUser", "/api/v1/users/eve");
  const auto made = done("addToken", "/api/v1/tokens", R"({"name":"ci","scope":"read"})");
  done("listTokens", "/api/v1/tokens");
  done("removeToken", "/api/v1/tokens/" + std::string(made.at("id").as_string()));
  done("listAudit", "/api/v1/audit");
  second_factor();
  oidc();
  done("logOut", "/api/v1/session");
  done("logIn", "/api/v1/session", R"({"username":"admin","password":"amber-falcon-77"})", true);
  done("logOutEverywhere", "/api/v1/sessions");

  for (const Route& route : console_.api.routes()) {
    if (route.operation == "asset") continue;
    EXPECT_TRUE(seen_.contains(route.operation)) << route.operation << " was not exercised";
  }
}

// A script is written from the document alone: what it promises of a body is what the server takes.
TEST(OpenApi, RequestsNameEveryMember) {
  ConsoleUnderTest console;
  console.set_up();
  struct Row {
    const char* path;
    const char* request;
    const char* body;
  };
  constexpr Row kRows[] = {
      {"/api/v1/sites", "SiteRequest",
       R"({"name":"Shop","hosts":["shop.example"],"mode":"monitor","mask":{"headers":["X-Key"]},"block_status":451})"},
      {"/api/v1/exceptions", "ExceptionRequest",
       R"({"path":"/a/**","location":"query","name":"items[*].name"})"},
      {"/api/v1/lists", "ListRequest", R"({"kind":"allow","cidr":"2001:db8::/32","comment":"ours"})"},
      {"/api/v1/syslog/targets", "TargetRequest",
       R"({"name":"siem","transport":"tls","host":"192.0.2.5","tls":{"min_version":"1.3"},"rate_limit":5})"},
  };
  const test::SchemaChecker checker{schemas()};
  for (const Row& row : kRows) {
    const boost::json::value schema = schemas().at(row.request);
    boost::json::value body = boost::json::parse(row.body);
    EXPECT_EQ(checker.check(body, schema), "") << row.path;
    const HttpResponse made = console.as_admin("POST", row.path, row.body);
    EXPECT_EQ(made.status, 201) << made.body;
    // No member of an answer is missing from the schema of the request.
    EXPECT_EQ(checker.check(json_of(made), schema), "") << row.path;
    body.as_object()["no_such_member"] = 1;
    EXPECT_NE(checker.check(body, schema), "") << row.path;
    EXPECT_EQ(console.as_admin("POST", row.path, boost::json::serialize(body)).status, 422) << row.path;
  }
}

TEST(OpenApi, SaysWhatHoldsForAll) {
  ConsoleUnderTest console;
  const auto document = openapi_document(console.api.routes(), "1.2.3");
  const std::string about(document.at("info").at("description").as_string());
  for (const char* word :
       {"Bearer", "X-Wafd-Csrf", "problem document", "If-Match", "`before`", "Event query", "server-sent"})
    EXPECT_NE(about.find(word), std::string::npos) << word;
  std::size_t conditional = 0;
  for (const auto& path : document.at("paths").as_object()) {
    for (const auto& method : path.value().as_object()) {
      const std::string text = boost::json::serialize(method.value());
      const bool named = text.find("\"If-Match\"") != std::string::npos;
      EXPECT_EQ(method.value().at("responses").as_object().contains("412"), named) << path.key();
      conditional += named ? 1 : 0;
    }
  }
  EXPECT_EQ(conditional, 21u);
}

TEST(OpenApi, DocumentIsSound) {
  ConsoleUnderTest console;
  const auto document = openapi_document(console.api.routes(), "1.2.3");
  std::set<std::string> operations;
  std::size_t count = 0;
  for (const auto& path : document.at("paths").as_object()) {
    for (const auto& method : path.value().as_object()) {
      operations.insert(std::string(method.value().at("operationId").as_string()));
      ++count;
    }
  }
  EXPECT_EQ(operations.size(), count) << "operation ids must differ";
  // Every reference leads somewhere.
  const std::string text = boost::json::serialize(document);
  std::size_t references = 0;
  for (std::size_t at = 0; (at = text.find("#/components/schemas/", at)) != std::string::npos; ++references) {
    at += 21;
    const std::string name = text.substr(at, text.find('"', at) - at);
    EXPECT_TRUE(schemas().contains(name)) << name;
  }
  EXPECT_GT(references, 60u);
}

}  // namespace
}  // namespace wafd::console
