// Problems in Chinese for who asks for it, and to the byte in English for everybody else.
#include "console/api/routing/translation.h"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/base/problem.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

TEST(Translation, IsForWhoWantsChineseMoreThanEnglish) {
  for (const char* yes :
       {"zh", "zh-CN", "ZH-Hans-CN", "zh-CN,zh;q=0.9,en;q=0.8", "fr, zh;q=0.5, en;q=0.4", "en;q=0.5, zh"})
    EXPECT_TRUE(wants_chinese(yes)) << yes;
  for (const char* no : {"", "en", "en, zh", "en-GB,en;q=0.9,zh;q=0.8", "fr", "*", "zh;q=0", "zh;q=x", "zhx",
                         ",;,", "zh;q=0.5,en;q=0.9"})
    EXPECT_FALSE(wants_chinese(no)) << no;
}

TEST(Translation, PutsInWhatIsLeftOpen) {
  const std::pair<const char*, const char*> rows[] = {
      {"There is no such user.", "没有此用户。"},
      {"This needs the role admin; you are viewer.", "需要角色 admin；您是 viewer。"},
      {"password: expected at least 12 characters", "password: 至少需要 12 个字符"},
      {"port: expected an integer from 1 to 65535, got \"x\"", "port: 应为 1 到 65535 的整数，实际为 \"x\""},
      {"The body is no sound JSON text: syntax error at byte 7.",
       "请求体不是正确的 JSON：第 7 字节处 syntax error。"},
      {"a text of tomorrow", "a text of tomorrow"},
      {"expected {}", "应为 {}"},
      {"", ""},
  };
  for (const auto& [english, chinese] : rows) EXPECT_EQ(in_chinese(english), chinese);
}

TEST(Translation, TurnsTitleAndDetailAndNothingElse) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string body = R"({"username":"x","role":"king","password":"violet-otter-42"})";
  const auto plain = console.as_admin("POST", "/api/v1/users", body);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/users", body, {{"Accept-Language", "en"}}).body, plain.body);
  const auto chinese = console.as_admin("POST", "/api/v1/users", body, {{"Accept-Language", "zh-CN"}});
  EXPECT_EQ(chinese.status, plain.status);
  EXPECT_EQ(chinese.header("Content-Language"), "zh-CN");
  auto before = json_of(plain).as_object(), after = json_of(chinese).as_object();
  EXPECT_EQ(after.at("title"), "校验失败");
  EXPECT_EQ(after.at("detail"), "role: 应为 viewer, operator or admin，实际为 \"king\"");
  for (const char* name : {"title", "detail"}) before.erase(name), after.erase(name);
  EXPECT_EQ(before, after);
  // Answers that are no problems stay as they are.
  EXPECT_EQ(console.as_admin("GET", "/api/v1/users", "", {{"Accept-Language", "zh-CN"}}).body,
            console.as_admin("GET", "/api/v1/users").body);
}

TEST(Translation, EveryTitleHasOne) {
  for (const ProblemType& type : {kBadRequest,           kUnauthenticated, kLoginFailed, kSecondFactor,
                                  kSecondFactorRequired, kForbidden,       kCsrf,        kSetupClosed,
                                  kSetupToken,           kNotFound,        kMethod,      kConflict,
                                  kPrecondition,         kTooLarge,        kMediaType,   kValidation,
                                  kForbiddenDestination, kTooMany,         kInternal,    kUnavailable})
    EXPECT_NE(in_chinese(type.title), type.title) << type.type;
}

}  // namespace
}  // namespace wafd::console
