// Signing in by a provider at the API: who is let in as what, what is refused, and the way back in.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "console/credentials/password.h"
#include "tests/support/console_api.h"
#include "tests/support/oidc_provider.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

constexpr const char* kOidc = "/api/v1/oidc";
constexpr const char* kSession = "/api/v1/session/oidc";
constexpr const char* kSettings =
    R"({"enabled":true,"issuer":"https://id.example","client_id":"wafd","client_secret":"s3cret","label":"Staff",)"
    R"("admin_groups":["admins"],"operator_groups":["ops"],"viewer_groups":["staff"]})";

std::string cookie_of(const HttpResponse& answer, std::string_view name) {
  for (const Header& header : answer.headers)
    if (header.name == "Set-Cookie" && header.value.starts_with(std::string(name) + "="))
      return header.value.substr(0, header.value.find(';'));
  return {};
}

class OidcApi : public ::testing::Test {
 protected:
  void SetUp() override {
    console_.set_up();
    admin_ = console_.cookie;
    console_.services.fetch = [this](const WebRequest& request) { return provider_(request); };
    const auto set = console_.as_admin("PUT", kOidc, kSettings);
    ASSERT_EQ(set.status, 200) << set.body;
    provider_.claims["iat"] = now_s(), provider_.claims["exp"] = now_s() + 300;
  }
  std::int64_t now_s() const { return console_.clock.unix_us() / 1'000'000; }

  struct Begun {
    std::string state, cookie;
  };
  Begun begin() {
    const auto answer = console_.call("POST", kSession);
    EXPECT_EQ(answer.status, 200) << answer.body;
    const std::string url(json_of(answer).at("url").as_string());
    const auto parameter = [&url](const std::string& name) {
      const std::size_t at = url.find("&" + name + "=") + name.size() + 2;
      return url.substr(at, url.find('&', at) - at);
    };
    provider_.claims["nonce"] = parameter("nonce");
    return {parameter("state"), cookie_of(answer, "__Host-wafd-oidc")};
  }
  HttpResponse finish(const Begun& begun, const std::string& more = R"("code":"c")") {
    return console_.call("PUT", kSession, R"({"state":")" + begun.state + "\"," + more + "}",
                         {{"Cookie", begun.cookie}});
  }
  HttpResponse sign_in(std::initializer_list<std::string_view> groups, const std::string& name = "jane") {
    boost::json::array list;
    for (const auto group : groups) list.emplace_back(group);
    provider_.claims["groups"] = std::move(list), provider_.claims["preferred_username"] = name;
    provider_.userinfo = boost::json::object{};
    return finish(begin());
  }
  HttpResponse as(const HttpResponse& opened, const std::string& method, const std::string& path,
                  const std::string& body = {}) {
    return console_.call(method, path, body,
                         {{"Cookie", cookie_of(opened, "__Host-wafd")}, {"X-Wafd-Csrf", "1"}});
  }
  bool audited(std::string_view text) {
    for (const auto& entry : console_.delivery.audited)
      if (entry.find(text) != std::string::npos) return true;
    return false;
  }

  ConsoleUnderTest console_;
  test::Answers provider_;
  std::string admin_;
};

TEST_F(OidcApi, GroupsGiveTheRoleAnewEachTime) {
  const auto opened = sign_in({"staff", "ops"});
  ASSERT_EQ(opened.status, 200) << opened.body;
  const auto me = json_of(as(opened, "GET", "/api/v1/me"));
  EXPECT_EQ(me.at("username"), "jane");
  EXPECT_EQ(me.at("role"), "operator") << "the highest one";
  EXPECT_EQ(me.at("signs_in"), "oidc");
  ASSERT_EQ(sign_in({"staff"}, "jane.renamed").status, 200);
  EXPECT_EQ(json_of(as(opened, "GET", "/api/v1/me")).at("role"), "viewer") << "also of sessions from before";
  EXPECT_EQ(console_.credentials.users().size(), 2u) << "the subject counts, not the name";
  EXPECT_EQ(sign_in({"others"}).status, 403);
  EXPECT_EQ(as(opened, "GET", "/api/v1/me").status, 401) << "who may no longer sign in has no sessions";
  EXPECT_TRUE(audited("user.create"));
  EXPECT_TRUE(audited("user.change"));
  EXPECT_TRUE(audited("no group gives a role"));
  auto again = CredentialStore::open(console_.folder.path);
  ASSERT_TRUE(again);
  EXPECT_NE(again->user_of({"https://id.example", "248289761001"}), nullptr) << "kept over a restart";
}

TEST_F(OidcApi, ANameIsNobodysIdentity) {
  ASSERT_EQ(sign_in({"staff"}, "admin").status, 200);
  const User* user = console_.credentials.user_of({"https://id.example", "248289761001"});
  ASSERT_NE(user, nullptr);
  EXPECT_EQ(user->username, "admin-2");
  EXPECT_EQ(user->role, Role::kViewer);
  provider_.claims["sub"] = "another";
  ASSERT_EQ(sign_in({"staff"}, "../a b\\\"c").status, 200);
  EXPECT_EQ(console_.credentials.user_of({"https://id.example", "another"})->username, "-a-b-c");
}

TEST_F(OidcApi, AnAnswerIsGoodOnceAndInTheBrowserThatBegan) {
  provider_.claims["groups"] = boost::json::array{"staff"};
  const Begun begun = begin();
  EXPECT_EQ(finish({begun.state, "__Host-wafd-oidc=another"}).status, 401) << "log-in of somebody else";
  EXPECT_EQ(finish({begun.state, ""}).status, 401);
  EXPECT_EQ(finish({"another", begun.cookie}).status, 401);
  const auto opened = finish(begun);
  EXPECT_EQ(opened.status, 200) << opened.body;
  EXPECT_EQ(finish(begun).status, 401) << "replayed";
  const auto mixed = finish(begin(), R"("code":"c","iss":"https://evil.example")");
  EXPECT_EQ(mixed.status, 401);
  EXPECT_NE(mixed.body.find("(iss)"), std::string::npos);
  const auto refused = finish(begin(), R"("error":"access_denied")");
  EXPECT_EQ(json_of(refused).at("detail"), "The sign-in provider refused: access_denied.");
  const auto shouted = finish(begin(), R"("error":"call 555-0100")");
  EXPECT_EQ(json_of(shouted).at("detail"), "The sign-in provider refused: an error.");
  // A page of another origin begins nothing and ends nothing.
  EXPECT_EQ(console_.call("POST", kSession, "", {{"Origin", "https://evil.example"}}).status, 403);
}

TEST_F(OidcApi, WhereTheProviderIsDownPasswordsStillDo) {
  provider_.down = "id.example";
  const auto answer = console_.call("POST", kSession);
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("nobody accepts connections there"), std::string::npos);
  EXPECT_EQ(
      console_.call("POST", "/api/v1/session", R"({"username":"admin","password":"violet-otter-41"})").status,
      200);
  // The last admin with a password stays, however many come by the provider.
  provider_.down.clear();
  ASSERT_EQ(sign_in({"admins"}).status, 200);
  EXPECT_EQ(console_.as_admin("DELETE", "/api/v1/users/admin").status, 409);
  EXPECT_EQ(console_.as_admin("PUT", "/api/v1/users/admin", R"({"role":"viewer"})").status, 409);
}

TEST_F(OidcApi, WhoComesByTheProviderHasNoPasswordHere) {
  const auto opened = sign_in({"admins"});
  ASSERT_EQ(opened.status, 200);
  EXPECT_EQ(console_.call("POST", "/api/v1/session", R"({"username":"jane","password":""})").status, 401);
  EXPECT_EQ(as(opened, "PUT", "/api/v1/me/password", R"({"current":"","password":"amber-falcon-77"})").status,
            409);
  EXPECT_EQ(as(opened, "POST", "/api/v1/me/second-factor", R"({"password":""})").status, 409);
  EXPECT_EQ(console_.as_admin("PUT", "/api/v1/users/jane", R"({"password":"amber-falcon-77"})").status, 409);
  EXPECT_EQ(console_.as_admin("PUT", "/api/v1/users/jane", R"({"role":"viewer"})").status, 409);
}

TEST_F(OidcApi, ASecondFactorIsToldOfByTheTokenOrTrusted) {
  ASSERT_EQ(console_.as_admin("PUT", "/api/v1/system", R"({"second_factor_roles":["operator"]})").status,
            200);
  EXPECT_EQ(sign_in({"ops"}).status, 403);
  EXPECT_EQ(sign_in({"staff"}).status, 200) << "the role needs none";
  provider_.claims["amr"] = boost::json::array{"pwd", "mfa"};
  const auto opened = sign_in({"ops"});
  ASSERT_EQ(opened.status, 200);
  EXPECT_EQ(json_of(as(opened, "GET", "/api/v1/me")).at("must_set_up_second_factor"), false);
  provider_.claims.erase("amr");
  std::string trusting = kSettings;
  trusting.replace(trusting.find("\"enabled\""), 0, R"("trust_second_factor":true,)");
  ASSERT_EQ(console_.as_admin("PUT", kOidc, trusting).status, 200);
  EXPECT_EQ(sign_in({"ops"}).status, 200);
}

TEST_F(OidcApi, AnotherProviderEndsSessionsOfTheOneBefore) {
  const auto opened = sign_in({"ops"});
  const Begun begun = begin();
  std::string other = kSettings;
  other.replace(other.find("id.example"), 10, "new.example");
  ASSERT_EQ(console_.as_admin("PUT", kOidc, other).status, 200);
  EXPECT_EQ(as(opened, "GET", "/api/v1/me").status, 401);
  EXPECT_EQ(finish(begun).status, 401);
  EXPECT_EQ(console_.call("GET", "/api/v1/me", "", {{"Cookie", admin_}}).status, 200);
}

TEST_F(OidcApi, SettingsKeepTheSecretAndJudgeTheAddress) {
  const auto shown = console_.as_admin("GET", kOidc);
  EXPECT_EQ(shown.body.find("s3cret"), std::string::npos);
  EXPECT_EQ(json_of(shown).at("client_secret_set"), true);
  EXPECT_EQ(json_of(shown).at("redirect_path"), "/oidc/callback");
  EXPECT_EQ(console_.as_admin("GET", "/api/v1/settings/versions").body.find("s3cret"), std::string::npos);
  for (const auto& entry : console_.delivery.audited) EXPECT_EQ(entry.find("s3cret"), std::string::npos);
  struct Row {
    const char* body;
    const char* member;
  };
  const Row rows[] = {
      {R"({"issuer":"http://id.example"})", "issuer"},
      {R"({"issuer":"https://169.254.169.254","client_secret":"x"})", "issuer"},
      {R"({"issuer":"https://127.0.0.1:8700","client_secret":"x"})", "issuer"},
      {R"({"issuer":"https://id.example/?a"})", "issuer"},
      {R"({"issuer":"https://new.example"})", "client_secret"},
      {R"({"enabled":true})", "issuer"},
      {R"({"enabled":true,"issuer":"https://id.example"})", "client_id"},
      {R"({"enabled":true,"issuer":"https://id.example","client_id":"w"})", "default_role"},
      {R"({"issuer":"https://id.example","scopes":["profile"]})", "scopes"},
      {R"({"issuer":"https://id.example","scopes":["openid","a b"]})", "scopes"},
      {R"({"issuer":"https://id.example","ca":"x"})", "ca"},
      {R"({"issuer":"https://id.example","roles":[]})", ""},
  };
  for (const Row& row : rows) {
    const auto answer = console_.as_admin("PUT", kOidc, row.body);
    EXPECT_EQ(answer.status, 422) << row.body;
    const auto document = json_of(answer);
    const auto* member = document.as_object().if_contains("member");
    EXPECT_TRUE(*row.member == '\0' || (member != nullptr && member->as_string().starts_with(row.member)))
        << answer.body;
  }
  const std::string viewer = console_.token(Role::kOperator);
  EXPECT_EQ(console_.call("GET", kOidc, "", {{"Authorization", "Bearer " + viewer}}).status, 403);
}

TEST_F(OidcApi, NothingIsOfferedBeforeItIsSetUp) {
  ASSERT_EQ(console_.as_admin("PUT", kOidc, R"({"enabled":false})").status, 200);
  EXPECT_EQ(json_of(console_.call("GET", kSession)).at("enabled"), false);
  EXPECT_EQ(console_.call("POST", kSession).status, 404);
  EXPECT_EQ(console_.call("PUT", kSession, R"({"state":"s","code":"c"})").status, 404);
}

}  // namespace
}  // namespace wafd::console
