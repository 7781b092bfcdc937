// Users' own settings (second factor, preferences, the end of all sessions), and events as viewers see them.
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/credentials/password.h"
#include "console/credentials/totp.h"
#include "console/events/viewer_mask.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

constexpr const char* kLogin = R"({"username":"admin","password":"violet-otter-41"})";

std::string with_code(const std::string& code) {
  return R"({"username":"admin","password":"violet-otter-41","code":")" + code + R"("})";
}

std::string text_of(const boost::json::value& value) { return std::string(value.as_string()); }

class People : public ::testing::Test {
 protected:
  void SetUp() override { console_.set_up(); }

  std::string code(int steps_later = 0) {
    return hotp(key_,
                static_cast<std::uint64_t>(console_.clock.unix_us() / 1000 / kTotpStepMs + steps_later));
  }
  // Turns the admin's factor on; the recovery codes.
  std::vector<std::string> turn_on() {
    const auto begun =
        console_.as_admin("POST", "/api/v1/me/second-factor", R"({"password":"violet-otter-41"})");
    EXPECT_EQ(begun.status, 200) << begun.body;
    key_ = test::decoded_base32(text_of(json_of(begun).at("secret")));
    const auto confirmed =
        console_.as_admin("PUT", "/api/v1/me/second-factor", R"({"code":")" + code() + R"("})");
    EXPECT_EQ(confirmed.status, 200) << confirmed.body;
    std::vector<std::string> codes;
    const auto answer = json_of(confirmed);
    for (const auto& one : answer.at("recovery_codes").as_array()) codes.push_back(text_of(one));
    console_.clock.advance_ms(kTotpStepMs);
    return codes;
  }
  std::string kind(const HttpResponse& answer) {
    const auto document = json_of(answer);
    return text_of(document.at("type")).substr(std::string("urn:wafd:problem:").size());
  }
  bool audited(std::string_view action) {
    for (const auto& entry : console_.delivery.audited)
      if (entry.find(action) != std::string::npos) return true;
    return false;
  }
  // Logs a viewer in and speaks for them from now on.
  void become_viewer(bool may_unmask) {
    User user;
    user.username = "vera";
    user.password =
        test::must(hash_password("amber-falcon-77", console_.random, console_.services.password_cost));
    user.may_unmask = may_unmask;
    ASSERT_TRUE(console_.credentials.add_user(user));
    const auto opened =
        console_.call("POST", "/api/v1/session", R"({"username":"vera","password":"amber-falcon-77"})");
    ASSERT_EQ(opened.status, 200) << opened.body;
    console_.take_cookie(opened);
  }

  ConsoleUnderTest console_;
  std::string key_;
};

TEST_F(People, ALogInAsksForTheCodeAndTakesItOnce) {
  const auto recovery = turn_on();
  ASSERT_EQ(recovery.size(), kRecoveryCodes);
  const auto asked = console_.call("POST", "/api/v1/session", kLogin);
  EXPECT_EQ(asked.status, 401);
  EXPECT_EQ(kind(asked), "second-factor");
  EXPECT_TRUE(asked.header("Set-Cookie").empty());
  EXPECT_EQ(kind(console_.call("POST", "/api/v1/session",
                               R"({"username":"admin","password":"wrong","code":")" + code() + R"("})")),
            "login-failed");
  EXPECT_EQ(kind(console_.call("POST", "/api/v1/session", with_code("000000"))), "login-failed");
  const std::string good = code();
  EXPECT_EQ(console_.call("POST", "/api/v1/session", with_code(good)).status, 200);
  EXPECT_EQ(console_.call("POST", "/api/v1/session", with_code(good)).status, 401) << "replayed";
  EXPECT_EQ(console_.call("POST", "/api/v1/session", with_code(recovery[0])).status, 200);
  EXPECT_EQ(console_.call("POST", "/api/v1/session", with_code(recovery[0])).status, 401) << "used up";
  EXPECT_TRUE(audited("session.recovery_code"));
  auto again = CredentialStore::open(console_.folder.path);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->user("admin")->second_factor.recovery.size(), kRecoveryCodes - 1);
  EXPECT_TRUE(again->user("admin")->second_factor.on()) << "kept over a restart";
}

TEST_F(People, GuessedCodesAreDelayedLikePasswords) {
  turn_on();
  int tried = 0;
  HttpResponse last;
  for (; tried < 50; ++tried) {
    last = console_.call("POST", "/api/v1/session", with_code("123" + std::to_string(100 + tried)));
    if (last.status == 429) break;
  }
  EXPECT_EQ(last.status, 429);
  EXPECT_LE(tried, LoginGuard::kFreeFailures + 1);
  EXPECT_EQ(console_.call("POST", "/api/v1/session", with_code(code())).status, 429)
      << "the right one waits too";
}

TEST_F(People, SettingUpNeedsThePasswordAndEndsOtherSessions) {
  EXPECT_EQ(console_.as_admin("POST", "/api/v1/me/second-factor", R"({"password":"wrong"})").status, 401);
  EXPECT_EQ(console_.as_admin("PUT", "/api/v1/me/second-factor", R"({"code":"123456"})").status, 401)
      << "nothing is pending";
  ASSERT_EQ(console_.call("POST", "/api/v1/session", kLogin).status, 200);
  EXPECT_EQ(console_.credentials.sessions().size(), 2u);
  turn_on();
  EXPECT_EQ(console_.credentials.sessions().size(), 1u);
  EXPECT_EQ(json_of(console_.as_admin("GET", "/api/v1/me")).at("second_factor"), true);
  const auto state = json_of(console_.as_admin("GET", "/api/v1/me/second-factor"));
  EXPECT_EQ(state.at("recovery_codes_left"), 10);
  EXPECT_EQ(state.at("required"), false);
  EXPECT_EQ(console_.as_admin("POST", "/api/v1/me/second-factor/removal", R"({"code":"000000"})").status,
            401);
  EXPECT_EQ(
      console_.as_admin("POST", "/api/v1/me/second-factor/removal", R"({"code":")" + code() + R"("})").status,
      204);
  EXPECT_EQ(console_.call("POST", "/api/v1/session", kLogin).status, 200);
}

TEST_F(People, AFactorInForceIsReplacedByWhoHasIt) {
  turn_on();
  const auto begin = [&](const std::string& more) {
    return console_.as_admin("POST", "/api/v1/me/second-factor",
                             R"({"password":"violet-otter-41")" + more + "}");
  };
  EXPECT_EQ(begin("").status, 401) << "session and password alone";
  EXPECT_EQ(begin(R"(,"code":"000000")").status, 401);
  EXPECT_EQ(console_.as_admin("PUT", "/api/v1/me/second-factor", R"({"code":")" + code() + R"("})").status,
            401)
      << "nothing is pending";
  const auto begun = begin(R"(,"code":")" + code() + R"(")");
  ASSERT_EQ(begun.status, 200) << begun.body;
  key_ = test::decoded_base32(text_of(json_of(begun).at("secret")));
  EXPECT_EQ(console_.as_admin("PUT", "/api/v1/me/second-factor", R"({"code":")" + code() + R"("})").status,
            200);
}

TEST_F(People, ARoleThatNeedsAFactorDoesNothingElseFirst) {
  ASSERT_EQ(console_.as_admin("PUT", "/api/v1/system", R"({"second_factor_roles":["admin"]})").status, 200);
  EXPECT_EQ(kind(console_.as_admin("GET", "/api/v1/events")), "second-factor-required");
  EXPECT_EQ(console_.as_admin("POST", "/api/v1/tokens", R"({"name":"x","scope":"admin"})").status, 403);
  EXPECT_EQ(json_of(console_.as_admin("GET", "/api/v1/me")).at("must_set_up_second_factor"), true);
  const std::string token = console_.token(Role::kAdmin);
  EXPECT_EQ(console_.call("GET", "/api/v1/events", {}, {{"Authorization", "Bearer " + token}}).status, 200)
      << "a token is nobody with a phone";
  turn_on();
  EXPECT_EQ(console_.as_admin("GET", "/api/v1/events").status, 200);
  EXPECT_EQ(
      console_.as_admin("POST", "/api/v1/me/second-factor/removal", R"({"code":")" + code() + R"("})").status,
      409);
  EXPECT_EQ(console_.as_admin("PUT", "/api/v1/system", R"({"second_factor_roles":["root"]})").status, 422);
}

TEST_F(People, AnAdminTakesALostFactorAway) {
  turn_on();
  const std::string token = console_.token(Role::kAdmin);
  const std::vector<Header> by_token{{"Authorization", "Bearer " + token}};
  EXPECT_EQ(console_.call("DELETE", "/api/v1/users/nobody/second-factor", {}, by_token).status, 404);
  EXPECT_EQ(console_.call("DELETE", "/api/v1/users/admin/second-factor", {}, by_token).status, 204);
  EXPECT_TRUE(console_.credentials.sessions().empty());
  EXPECT_EQ(console_.call("POST", "/api/v1/session", kLogin).status, 200);
  EXPECT_TRUE(audited("user.factor_removed"));
}

TEST_F(People, EndsAllSessionsAtOnce) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(console_.call("POST", "/api/v1/session", kLogin).status, 200);
  EXPECT_EQ(console_.credentials.sessions().size(), 4u);
  const auto ended = console_.as_admin("DELETE", "/api/v1/sessions");
  EXPECT_EQ(ended.status, 204);
  EXPECT_NE(ended.header("Set-Cookie").find("Max-Age=0"), std::string::npos);
  EXPECT_TRUE(console_.credentials.sessions().empty());
  EXPECT_EQ(console_.as_admin("GET", "/api/v1/me").status, 401);
}

TEST_F(People, KeepsLanguageAndTimeZone) {
  EXPECT_EQ(
      console_
          .as_admin("PUT", "/api/v1/me/preferences", R"({"language":"zh-CN","time_zone":"Asia/Shanghai"})")
          .status,
      204);
  const auto wanted = json_of(console_.as_admin("GET", "/api/v1/me")).at("preferences");
  EXPECT_EQ(wanted.at("language"), "zh-CN");
  EXPECT_EQ(wanted.at("time_zone"), "Asia/Shanghai");
  EXPECT_EQ(test::must(CredentialStore::open(console_.folder.path)).user("admin")->preferences.language,
            "zh-CN");
  for (const char* body : {R"({"language":"tlh"})", R"({"time_zone":"Mars/Olympus"})"})
    EXPECT_EQ(console_.as_admin("PUT", "/api/v1/me/preferences", body).status, 422) << body;
  const std::string token = console_.token(Role::kAdmin);
  EXPECT_EQ(console_
                .call("PUT", "/api/v1/me/preferences", R"({"language":"en"})",
                      {{"Authorization", "Bearer " + token}})
                .status,
            403);
}

// --- the view of viewers

class Viewers : public People {
 protected:
  void SetUp() override {
    People::SetUp();
    for (std::uint64_t i = 1; i <= 3; ++i)
      ASSERT_TRUE(console_.ring->append(test::make_event(i, console_.clock.unix_us() / 1000)));
    secrets_ = raw_texts();
    ASSERT_GE(secrets_.size(), 3u);
  }
  // The texts of the stored event that the mask covers.
  std::vector<std::string> raw_texts() {
    std::vector<std::string> out;
    const auto event = json_of(console_.as_admin("GET", std::string("/api/v1/events/") + kId));
    for (const char* member :
         {"payload", "query_string", "req_header_raw", "body", "cookie", "session", "reason"}) {
      const std::string text = text_of(event.at("record").at(member));
      if (!text.empty()) out.push_back(text);
    }
    return out;
  }
  void expect_masked(const std::string& answer, const std::string& what) {
    EXPECT_NE(answer.find("***"), std::string::npos) << what;
    for (const std::string& secret : secrets_) {
      const std::string quoted = boost::json::serialize(boost::json::value(secret));
      EXPECT_EQ(answer.find(quoted), std::string::npos) << what << " shows " << secret;
    }
  }
  std::string streamed(HttpResponse answer) {
    std::string text;
    while (answer.stream &&
           answer.stream->pull(text, 1u << 16, console_.clock.unix_us() / 1000) == BodySource::Next::kMore) {
    }
    return text;
  }

  static constexpr const char* kId = "00000000000000000000000000000002";
  std::vector<std::string> secrets_;
};

TEST_F(Viewers, SeeEventsWithoutWhatAttackersSent) {
  ASSERT_EQ(console_.as_admin("PUT", std::string("/api/v1/pins/") + kId).status, 200);
  become_viewer(false);
  EXPECT_EQ(json_of(console_.as_admin("GET", "/api/v1/me")).at("masked"), true);
  expect_masked(console_.as_admin("GET", "/api/v1/events").body, "list");
  expect_masked(console_.as_admin("GET", std::string("/api/v1/events/") + kId).body, "one");
  expect_masked(console_.as_admin("GET", "/api/v1/pins").body, "pins");
  expect_masked(streamed(console_.as_admin("GET", "/api/v1/events/export")), "export");
  expect_masked(streamed(console_.as_admin("GET", "/api/v1/events/stream?after=0")), "tail");
  EXPECT_EQ(console_.as_admin("GET", std::string("/api/v1/events/") + kId + "/syslog").status, 403);
  EXPECT_EQ(console_.as_admin("POST", std::string("/api/v1/events/") + kId + "/unmask").status, 403);
}

// Else a filter would tell the masked text, one guess after the other.
TEST_F(Viewers, CannotAskForWhatIsMasked) {
  const auto count = [&](const std::string& q) {
    return json_of(console_.as_admin("GET", "/api/v1/events?q=" + q)).at("events").as_array().size();
  };
  ASSERT_EQ(count("calc"), 3u) << "part of what test events matched";
  become_viewer(true);
  EXPECT_EQ(count("calc"), 0u);
  EXPECT_EQ(count("type:sqli"), 3u);
  const auto top = console_.as_admin("GET", "/api/v1/events/top?field=session");
  EXPECT_EQ(top.status, 200);
  const auto counted = json_of(top);
  for (const auto& row : counted.at("values").as_array()) EXPECT_EQ(row.at("value"), "***");
}

TEST_F(Viewers, OfAProviderAreGivenThatRight) {
  const auto user = test::must(
      console_.credentials.sign_in({"https://login.example.org", "subject-1"}, "mara", Role::kViewer, 0));
  const std::string path = "/api/v1/users/" + user.username;
  const auto given = console_.as_admin("PUT", path, R"({"may_unmask":true})");
  EXPECT_EQ(given.status, 200) << given.body;
  EXPECT_TRUE(console_.credentials.user(user.username)->may_unmask);
  EXPECT_EQ(console_.as_admin("PUT", path, R"({"may_unmask":false,"role":"admin"})").status, 409);
  EXPECT_TRUE(console_.credentials.user(user.username)->may_unmask);
}

TEST_F(Viewers, LookBehindTheMaskWithARightThatIsWrittenDown) {
  const std::string raw = console_.as_admin("GET", std::string("/api/v1/events/") + kId).body;
  become_viewer(true);
  EXPECT_EQ(json_of(console_.as_admin("GET", "/api/v1/me")).at("may_unmask"), true);
  const auto shown = console_.as_admin("POST", std::string("/api/v1/events/") + kId + "/unmask");
  EXPECT_EQ(shown.status, 200);
  EXPECT_EQ(shown.body, raw);
  EXPECT_TRUE(audited("event.unmask"));
  expect_masked(console_.as_admin("GET", std::string("/api/v1/events/") + kId).body, "the next look");
}

TEST(ViewerMask, CoversWhatQuotesTheAttackAndNothingElse) {
  EXPECT_EQ(masked_record(R"({"host":"a","payload":"x","body":"","rules":[1,2],"n":3,"reason":"adds x"})"),
            R"({"host":"a","payload":"***","body":"","rules":[1,2],"n":3,"reason":"***"})");
  EXPECT_EQ(masked_record("{broken"), "{}");
  EXPECT_EQ(
      masked_event(
          R"({"seq":1,"record":{"cookie":"c","host":"a"},"detail":{"reason":"adds x","action":"deny","findings":[)"
          R"({"rule_name":"R","name":"id","location":"query","payload":"x","excerpt":"1 x","reason":"adds x"},)"
          R"({"name":"<b>","location":"query_name","payload":""}]}})"),
      R"({"seq":1,"record":{"cookie":"***","host":"a"},"detail":{"reason":"***","action":"deny","findings":[)"
      R"({"rule_name":"R","name":"id","location":"query","payload":"***","excerpt":"***","reason":"***"},)"
      R"({"name":"***","location":"query_name","payload":""}]}})");
  EXPECT_EQ(masked_event("[]"), "{}");
}

}  // namespace
}  // namespace wafd::console
