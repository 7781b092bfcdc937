// Signature rules made on the console: validation with line, rule and reason; what takes effect.
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "detect/engine.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

std::shared_ptr<const detect::Engine> built_in() {
  auto built = detect::Engine::build({});
  return built ? std::shared_ptr<const detect::Engine>(std::move(*built)) : nullptr;
}

std::string body_of(const std::string& text) {
  return boost::json::serialize(boost::json::object{{"text", text}});
}

std::string rule(const std::string& id, const std::string& members = R"("expression": "^/never")") {
  return R"({"id": ")" + id + R"(", "name": "N", "attack_type": "custom", "risk": "low", )" + members + "}";
}

TEST(RuleApi, MistakesAreSaidWithLineRuleAndReason) {
  ConsoleUnderTest console(built_in());
  console.set_up();
  struct Row {
    std::string text;
    const char* says;
  };
  const std::string taken = std::to_string(console.engine->rules().back()->number);
  const Row rows[] = {
      {"", "text"},
      {"[]", "text"},
      {"{\n\"rules\": [\n" + rule("a") + ",\n" + rule("b", R"("risk2": 1, "expression": "x")") + "]}",
       "text:4: rule \"b\""},
      {"{\n\"id\": \"mine\",\n", "text:"},
      {rule("a", R"("expression": "(")"), "rule \"a\""},
      {rule("a", R"("expression": "(?=x)y")"), "rule \"a\""},
      {"{\"rules\": [" + rule("a") + "," + rule("a") + "]}", "rule \"a\""},
      {"{\"rules\": []}", "at least one rule"},
      {rule("a", R"("number": )" + taken + R"(, "expression": "x")"), "has its id or number"},
  };
  for (const Row& row : rows) {
    const HttpResponse answer = console.as_admin("POST", "/api/v1/rules", body_of(row.text));
    EXPECT_EQ(answer.status, 422) << row.text << "\n" << answer.body;
    const auto problem = json_of(answer);
    EXPECT_EQ(problem.at("member"), "text") << answer.body;
    EXPECT_NE(std::string(problem.at("detail").as_string()).find(row.says), std::string::npos) << answer.body;
  }
  EXPECT_EQ(console.settings.current().version, 0u) << "nothing was saved";
}

TEST(RuleApi, AFileIsTakenWholeAndEachRuleCanBeSwitchedChangedAndRemoved) {
  ConsoleUnderTest console(built_in());
  console.set_up();
  const std::string operator_token = "Bearer " + console.token(Role::kOperator);
  const auto as_operator = [&](const char* method, const std::string& path, const std::string& body = {},
                               std::vector<Header> headers = {}) {
    headers.push_back({"Authorization", operator_token});
    return console.call(method, path, body, std::move(headers));
  };
  const HttpResponse made = as_operator(
      "POST", "/api/v1/rules", body_of("{\"rules\": [ // mine\n" + rule("a") + ",\n" + rule("b") + ",]}"));
  ASSERT_EQ(made.status, 201) << made.body;
  ASSERT_EQ(console.applied_rules.size(), 2u);
  EXPECT_EQ(json_of(made).at("own").at(1).at("id"), "b");
  EXPECT_EQ(as_operator("POST", "/api/v1/rules", body_of(rule("b"))).status, 409);

  const auto listed = json_of(as_operator("GET", "/api/v1/rules")).at("own");
  ASSERT_EQ(listed.as_array().size(), 2u);
  const std::string etag = "\"" + std::string(listed.at(0).at("etag").as_string()) + "\"";
  EXPECT_EQ(as_operator("PUT", "/api/v1/rules/a", R"({"enabled":false})", {{"If-Match", etag}}).status, 200);
  EXPECT_FALSE(console.applied_rules.at(0).enabled);
  EXPECT_EQ(rule_file(console.applied_rules).find("\"a\""), std::string::npos);
  EXPECT_EQ(as_operator("PUT", "/api/v1/rules/a", R"({"enabled":true})", {{"If-Match", etag}}).status, 412);
  EXPECT_EQ(as_operator("PUT", "/api/v1/rules/b", body_of(rule("c"))).status, 422)
      << "another id is another rule";
  EXPECT_EQ(as_operator("PUT", "/api/v1/rules/b", body_of(rule("b", R"("expression": "^/other")"))).status,
            200);
  EXPECT_NE(rule_file(console.applied_rules).find("^/other"), std::string::npos);
  EXPECT_EQ(as_operator("PUT", "/api/v1/rules/z", R"({"enabled":true})").status, 404);
  EXPECT_EQ(as_operator("DELETE", "/api/v1/rules/b").status, 204);
  EXPECT_EQ(console.applied_rules.size(), 1u);
  const std::string viewer = "Bearer " + console.token(Role::kViewer);
  EXPECT_EQ(console.call("DELETE", "/api/v1/rules/a", "", {{"Authorization", viewer}}).status, 403);

  const auto again = test::must(SettingsStore::open(console.folder.path, {}));
  ASSERT_EQ(again.current().rules.size(), 1u);
  EXPECT_FALSE(again.current().rules[0].enabled);
  EXPECT_EQ(json_of(console.as_admin("POST", "/api/v1/settings/restore", R"({"version":1})")).at("version"),
            5);
  EXPECT_EQ(console.applied_rules.size(), 2u) << "undo brings rules back";
}

}  // namespace
}  // namespace wafd::console
