// First start, logging in and out, sessions, delays, users, tokens.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "console/api/api.h"
#include "console/api/routing/auth.h"
#include "console/base/secrets.h"
#include "files/small_file.h"
#include "tests/support/console_api.h"

namespace wafd::console {
namespace {

using test::ConsoleUnderTest;
using test::json_of;

std::string login(const std::string& username, const std::string& password) {
  return R"({"username":")" + username + R"(","password":")" + password + R"("})";
}

TEST(FirstStart, OneTokenMakesOneAdmin) {
  ConsoleUnderTest console;
  EXPECT_EQ(json_of(console.call("GET", "/api/v1/setup")).at("open"), true);
  EXPECT_EQ(console.call("POST", "/api/v1/session", login("admin", "admin")).status, 401)
      << "also before set-up";
  const auto with = [&](const std::string& token, const std::string& password) {
    return console.call(
        "POST", "/api/v1/setup",
        R"({"token":")" + token + R"(","username":"admin","password":")" + password + R"("})");
  };
  EXPECT_EQ(with("wrong", ConsoleUnderTest::kPassword).status, 403);
  const std::string token = console.setup.token();
  struct Row {
    const char* password;
    int status;
  };
  constexpr Row kRows[] = {
      {"short", 422},        {"password1234", 422}, {"P4ssw0rd!2024", 422}, {"aaaaaaaaaaaaaa", 422},
      {"abcabcabcabc", 422}, {"123456789012", 422}, {"admin-admin-1", 422}, {"qwertyuiop12", 422},
  };
  for (const Row& row : kRows) EXPECT_EQ(with(token, row.password).status, row.status) << row.password;
  EXPECT_EQ(with(token, std::string(129, 'x') + "y1").status, 422);
  EXPECT_EQ(console.set_up().status, 201);
  EXPECT_EQ(with(token, ConsoleUnderTest::kPassword).status, 409);
  EXPECT_EQ(json_of(console.call("GET", "/api/v1/setup")).at("needed"), false);
}

TEST(FirstStart, ADiskThatTakesNoTokenStopsNobody) {
  ConsoleUnderTest parts;
  test::TempFolder folder;
  const auto before = console::Setup::begin(folder.path, true, parts.random, 0);
  EXPECT_EQ(before.notice(), "");
  EXPECT_EQ(test::must(read_file(folder.path + "/setup-token", 1u << 10)), before.token() + "\n");
  std::filesystem::create_directory(folder.path + "/setup-token.new");
  const auto now = console::Setup::begin(folder.path, true, parts.random, 0);
  EXPECT_NE(now.notice().find("setup-token"), std::string::npos) << now.notice();
  EXPECT_TRUE(now.open(1) && now.matches(now.token()) && !now.matches(before.token()));
  EXPECT_FALSE(std::filesystem::exists(folder.path + "/setup-token")) << "the old token is worth nothing";
}

TEST(FirstStart, ClosesAfterThirtyMinutes) {
  ConsoleUnderTest console;
  console.clock.advance_ms(kSetupWindowMs);
  EXPECT_EQ(json_of(console.call("GET", "/api/v1/setup")).at("open"), false);
  EXPECT_EQ(console.set_up().status, 403);
}

// Where no thread is free for a password, nobody has tried one.
TEST(Login, WhatWasNotLookedAtIsNoTry) {
  ConsoleUnderTest console;
  console.set_up();
  console.background.full = true;
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(console.call("POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword)).status,
              503)
        << i;
  console.background.full = false;
  EXPECT_EQ(console.call("POST", "/api/v1/session", login("admin", "wrong")).status, 401);
  EXPECT_EQ(console.call("POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword)).status, 200);
}

TEST(Login, CookieIsGuardedAndOnlyItsHashIsStored) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse answer =
      console.call("POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword));
  ASSERT_EQ(answer.status, 200);
  const std::string cookie(answer.header("Set-Cookie"));
  EXPECT_EQ(cookie.substr(0, 12), "__Host-wafd=");
  EXPECT_NE(cookie.find("; Path=/; Secure; HttpOnly; SameSite=Strict"), std::string::npos);
  const std::string value = cookie.substr(12, cookie.find(';') - 12);
  EXPECT_EQ(value.size(), 43u) << "256 bits";
  const auto file = test::must(read_file(console.folder.path + "/credentials.json", 1u << 20));
  EXPECT_EQ(file.find(value), std::string::npos);
  EXPECT_EQ(file.find(ConsoleUnderTest::kPassword), std::string::npos);
  EXPECT_NE(file.find("$argon2id$"), std::string::npos);
}

TEST(Login, EachLogInIsANewSessionAndLogOutEndsIt) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string first = console.cookie;
  const HttpResponse again = console.call("POST", "/api/v1/session",
                                          login("admin", ConsoleUnderTest::kPassword), {{"Cookie", first}});
  console.take_cookie(again);
  EXPECT_NE(console.cookie, first) << "a session given from outside must not become the logged-in one";
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/session").status, 204);
  EXPECT_EQ(console.as_admin("GET", "/api/v1/me").status, 401);
  console.cookie = first;
  EXPECT_EQ(console.as_admin("GET", "/api/v1/me").status, 200);
}

TEST(Login, SessionsEndByIdlenessAndByAge) {
  ConsoleUnderTest console;
  console.set_up();
  console.clock.advance_ms(kSessionIdleMs - 1);
  EXPECT_EQ(console.as_admin("GET", "/api/v1/me").status, 200);
  console.clock.advance_ms(kSessionIdleMs);
  EXPECT_EQ(console.as_admin("GET", "/api/v1/me").status, 401);

  ConsoleUnderTest old;
  old.set_up();
  for (std::int64_t age = 0; age < kSessionLifeMs - kSessionIdleMs; age += kSessionIdleMs / 2) {
    ASSERT_EQ(old.as_admin("GET", "/api/v1/me").status, 200);
    old.clock.advance_ms(kSessionIdleMs / 2);
  }
  EXPECT_EQ(old.as_admin("GET", "/api/v1/me").status, 200);
  old.clock.advance_ms(kSessionIdleMs / 2);
  EXPECT_EQ(old.as_admin("GET", "/api/v1/me").status, 200);
  old.clock.advance_ms(kSessionIdleMs / 2);
  EXPECT_EQ(old.as_admin("GET", "/api/v1/me").status, 401) << "7 days are the end, used or not";
}

TEST(Login, SessionsAndTokensOutliveARestart) {
  ConsoleUnderTest console;
  console.set_up();
  const std::string token = console.token(Role::kViewer);
  auto again = test::must(CredentialStore::open(console.folder.path));
  EXPECT_NE(again.use_session(console.cookie.substr(12), console.clock.unix_us() / 1000), nullptr);
  EXPECT_NE(again.use_token(token, console.clock.unix_us() / 1000), nullptr);
}

TEST(Login, WrongPasswordsAreSlowedDownPerAddress) {
  ConsoleUnderTest console;
  console.set_up();
  console.peer = "198.51.100.1";
  for (int i = 0; i < LoginGuard::kFreeFailures; ++i) {
    EXPECT_EQ(console.call("POST", "/api/v1/session", login("admin", "wrong-password")).status, 401) << i;
  }
  const HttpResponse slowed =
      console.call("POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword));
  EXPECT_EQ(slowed.status, 429);
  EXPECT_EQ(slowed.header("Retry-After"), "1");
  console.peer = "192.0.2.10";
  EXPECT_EQ(console.call("POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword)).status, 200)
      << "the owner is not locked out";
  console.peer = "198.51.100.1";
  console.clock.advance_ms(1000);
  EXPECT_EQ(console.call("POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword)).status, 200);
}

TEST(Login, UnknownUsersLookLikeWrongPasswords) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse unknown = console.call("POST", "/api/v1/session", login("nobody", "wrong-password"));
  const HttpResponse wrong = console.call("POST", "/api/v1/session", login("admin", "wrong-password"));
  EXPECT_EQ(unknown.status, 401);
  EXPECT_EQ(unknown.body, wrong.body);
}

TEST(Login, SessionsAreListedAndCanBeRevoked) {
  ConsoleUnderTest console;
  console.set_up();
  console.peer = "198.51.100.7";
  const HttpResponse other = console.call(
      "POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword), {{"User-Agent", "a browser"}});
  const std::string header(other.header("Set-Cookie"));
  const std::vector<Header> as_other = {{"Cookie", header.substr(0, header.find(';'))}};
  EXPECT_EQ(console.call("GET", "/api/v1/me", "", as_other).status, 200);
  const auto list = json_of(console.as_admin("GET", "/api/v1/sessions"));
  ASSERT_EQ(list.at("sessions").as_array().size(), 2u);
  std::string id;
  for (const auto& session : list.at("sessions").as_array()) {
    if (session.at("current") == true) continue;
    EXPECT_EQ(session.at("address"), "198.51.100.7");
    EXPECT_EQ(session.at("user_agent"), "a browser");
    id = session.at("id").as_string();
  }
  EXPECT_EQ(header.find(id), std::string::npos) << "what is listed logs nobody in";
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/sessions/" + id).status, 204);
  EXPECT_EQ(console.call("GET", "/api/v1/me", "", as_other).status, 401);
  EXPECT_EQ(console.as_admin("GET", "/api/v1/me").status, 200);
  EXPECT_EQ(json_of(console.as_admin("GET", "/api/v1/sessions")).at("sessions").as_array().size(), 1u)
      << "what has ended is not listed";
}

TEST(Users, TheLastAdminStays) {
  ConsoleUnderTest console;
  console.set_up();
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/users/admin").status, 409);
  EXPECT_EQ(console.as_admin("PUT", "/api/v1/users/admin", R"({"role":"viewer"})").status, 409);
  EXPECT_EQ(console
                .as_admin("POST", "/api/v1/users",
                          R"({"username":"eve","role":"viewer","password":"violet-otter-42"})")
                .status,
            201);
  EXPECT_EQ(console
                .as_admin("POST", "/api/v1/users",
                          R"({"username":"eve","role":"viewer","password":"violet-otter-42"})")
                .status,
            409);
  EXPECT_EQ(console
                .as_admin("POST", "/api/v1/users",
                          R"({"username":"../x","role":"viewer","password":"violet-otter-42"})")
                .status,
            422);
  const HttpResponse eve = console.call("POST", "/api/v1/session", login("eve", "violet-otter-42"));
  ASSERT_EQ(eve.status, 200);
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/users/eve").status, 204);
  const std::string header(eve.header("Set-Cookie"));
  EXPECT_EQ(console.call("GET", "/api/v1/me", "", {{"Cookie", header.substr(0, header.find(';'))}}).status,
            401);
}

TEST(Users, WhoChangesWhatAnotherChangedMeanwhileIsRefused) {
  ConsoleUnderTest console;
  console.set_up();
  const auto tag_of = [](const HttpResponse& answer) {
    return "\"" + std::string(json_of(answer).at("etag").as_string()) + "\"";
  };
  const HttpResponse made = console.as_admin(
      "POST", "/api/v1/users", R"({"username":"eve","role":"viewer","password":"violet-otter-42"})");
  const std::string first = tag_of(made);
  EXPECT_EQ(made.header("ETag"), first);
  const HttpResponse changed =
      console.as_admin("PUT", "/api/v1/users/eve", R"({"role":"operator"})", {{"If-Match", first}});
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_NE(tag_of(changed), first);
  // A password is a change too, and the digest does not tell it.
  const HttpResponse again = console.as_admin("PUT", "/api/v1/users/eve", R"({"password":"violet-otter-43"})",
                                              {{"If-Match", tag_of(changed)}});
  ASSERT_EQ(again.status, 200) << again.body;
  EXPECT_NE(tag_of(again), tag_of(changed));
  for (const char* body : {R"({"role":"admin"})", R"({"password":"violet-otter-44"})"})
    EXPECT_EQ(console.as_admin("PUT", "/api/v1/users/eve", body, {{"If-Match", tag_of(changed)}}).status,
              412);
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/users/eve", "", {{"If-Match", first}}).status, 412);
  EXPECT_EQ(console.credentials.user("eve")->role, Role::kOperator);
  // A log-in is no change.
  console.call("POST", "/api/v1/session", R"({"username":"eve","password":"violet-otter-43"})");
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/users/eve", "", {{"If-Match", tag_of(again)}}).status, 204);

  const HttpResponse token = console.as_admin("POST", "/api/v1/tokens", R"({"name":"ci","scope":"read"})");
  const std::string path = "/api/v1/tokens/" + std::string(json_of(token).at("id").as_string());
  EXPECT_EQ(console.as_admin("DELETE", path, "", {{"If-Match", first}}).status, 412);
  EXPECT_EQ(console.as_admin("DELETE", path, "", {{"If-Match", tag_of(token)}}).status, 204);
}

TEST(Users, ANewPasswordEndsOtherSessions) {
  ConsoleUnderTest console;
  console.set_up();
  const HttpResponse other =
      console.call("POST", "/api/v1/session", login("admin", ConsoleUnderTest::kPassword));
  const std::string header(other.header("Set-Cookie"));
  EXPECT_EQ(
      console.as_admin("PUT", "/api/v1/me/password", R"({"current":"wrong","password":"amber-falcon-77"})")
          .status,
      401);
  EXPECT_EQ(console
                .as_admin("PUT", "/api/v1/me/password",
                          R"({"current":"violet-otter-41","password":"amber-falcon-77"})")
                .status,
            204);
  EXPECT_EQ(console.as_admin("GET", "/api/v1/me").status, 200);
  EXPECT_EQ(console.call("GET", "/api/v1/me", "", {{"Cookie", header.substr(0, header.find(';'))}}).status,
            401);
  EXPECT_EQ(console.call("POST", "/api/v1/session", login("admin", "amber-falcon-77")).status, 200);
}

TEST(Tokens, ExpireAndCanBeRevoked) {
  ConsoleUnderTest console;
  console.set_up();
  const std::int64_t now_s = console.clock.unix_us() / 1'000'000;
  const HttpResponse made =
      console.as_admin("POST", "/api/v1/tokens",
                       R"({"name":"ci","scope":"read","expires_s":)" + std::to_string(now_s + 60) + "}");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string bearer = "Bearer " + std::string(json_of(made).at("token").as_string());
  const auto listed = [&] { return json_of(console.as_admin("GET", "/api/v1/tokens")).at("tokens").at(0); };
  EXPECT_TRUE(listed().at("last_used_ms").is_null());
  EXPECT_FALSE(listed().as_object().contains("token")) << "told once";
  const auto file = test::must(read_file(console.folder.path + "/credentials.json", 1u << 20));
  EXPECT_EQ(file.find(bearer.substr(7)), std::string::npos) << "only its digest is stored";
  EXPECT_EQ(console.call("GET", "/api/v1/me", "", {{"Authorization", bearer}}).status, 200);
  EXPECT_EQ(listed().at("last_used_ms"), console.clock.unix_us() / 1000);
  console.clock.advance_ms(60'000);
  EXPECT_EQ(console.call("GET", "/api/v1/me", "", {{"Authorization", bearer}}).status, 401);
  const std::string id(json_of(made).at("id").as_string());
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/tokens/" + id).status, 204);
  EXPECT_EQ(console.as_admin("DELETE", "/api/v1/tokens/" + id).status, 404);
  EXPECT_EQ(console.as_admin("POST", "/api/v1/tokens", R"({"name":"x","scope":"root"})").status, 422);
}

TEST(Audit, ChangesAreWrittenAndSent) {
  ConsoleUnderTest console;
  console.set_up();
  const std::size_t before = console.delivery.audited.size();
  ASSERT_EQ(console.as_admin("POST", "/api/v1/lists", R"({"kind":"deny","cidr":"192.0.2.0/24"})").status,
            201);
  ASSERT_EQ(console.delivery.audited.size(), before + 1);
  const auto entry = boost::json::parse(console.delivery.audited.back());
  EXPECT_EQ(entry.at("action").as_string(), "list.create");
  EXPECT_EQ(entry.at("user").as_string(), "admin");
  EXPECT_EQ(entry.at("address").as_string(), "192.0.2.10");
  const auto page = json_of(console.as_admin("GET", "/api/v1/audit?limit=1"));
  EXPECT_EQ(page.at("entries").at(0), entry);
  EXPECT_TRUE(page.at("before").is_number());
  const auto present = test::must(read_file(console.folder.path + "/audit.log", 1u << 20));
  ASSERT_EQ(console.as_admin("POST", "/api/v1/lists", R"({"kind":"allow","cidr":"192.0.2.1"})").status, 201);
  const auto after = test::must(read_file(console.folder.path + "/audit.log", 1u << 20));
  EXPECT_GT(after.size(), present.size());
  EXPECT_TRUE(after.starts_with(present)) << "what was written stays as it was";
  auto again = test::must(AuditLog::open(console.folder.path));
  EXPECT_EQ(again.read(1, std::nullopt).entries.at(0), console.delivery.audited.back());
}

// Strangers from many addresses use up what an account grants strangers, again and again; who logged in
// before has tries of their own, by address and by browser, also after a restart.
TEST(Login, StrangersDoNotKeepTheOwnerOut) {
  ConsoleUnderTest console;
  KnownClients known = KnownClients::open(console.folder.path, console.clock.unix_us() / 1000);
  console.services.known_clients = &known;
  console.set_up();
  const std::string right = login("admin", ConsoleUnderTest::kPassword);
  console.peer = "192.0.2.10";
  const HttpResponse first = console.call("POST", "/api/v1/session", right);
  ASSERT_EQ(first.status, 200);
  std::string device;
  for (const Header& header : first.headers) {
    if (header.name != "Set-Cookie" || !header.value.starts_with(kDeviceCookie)) continue;
    EXPECT_NE(header.value.find("; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age="), std::string::npos);
    device = header.value.substr(0, header.value.find(';'));
  }
  ASSERT_EQ(device.size(), kDeviceCookie.size() + 1 + 43) << "256 bits";

  const auto strangers = [&] {
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 60; ++i) {
        console.peer = "203.0.113." + std::to_string(i);
        console.call("POST", "/api/v1/session", login("admin", "guess-guess-guess"));
      }
    }
  };
  const auto try_from = [&](const std::string& address, const std::string& cookie) {
    console.peer = address;
    return console
        .call("POST", "/api/v1/session", right,
              cookie.empty() ? std::vector<Header>{} : std::vector<Header>{{"Cookie", cookie}})
        .status;
  };
  for (const bool restarted : {false, true}) {
    if (restarted) {
      known = KnownClients::open(console.folder.path, console.clock.unix_us() / 1000);
      EXPECT_EQ(known.notice(), "");
      console.guard = LoginGuard();
      for (const auto& [account, clients] : known.all())
        for (const KnownClient& client : clients) console.guard.know(account, client.address);
    }
    strangers();
    EXPECT_EQ(try_from("198.51.100.9", ""), 429) << "one more stranger";
    EXPECT_EQ(try_from("198.51.100.9", std::string(kDeviceCookie) + "=forged"), 429);
    EXPECT_EQ(try_from("192.0.2.10", ""), 200) << "a known address";
    EXPECT_EQ(try_from("203.0.113.7", device), 200) << "a known browser, even from a stranger's address";
  }
  // A browser's own tries are bounded, too, and those of others are not touched by them.
  console.peer = "192.0.2.10";
  for (int i = 0; i < LoginGuard::kFreeFailures; ++i)
    EXPECT_EQ(
        console.call("POST", "/api/v1/session", login("admin", "wrong-wrong-wrong"), {{"Cookie", device}})
            .status,
        401);
  EXPECT_EQ(try_from("192.0.2.10", device), 429);
  EXPECT_EQ(try_from("192.0.2.10", ""), 200);
  // A cookie of another account is none.
  EXPECT_FALSE(known.has_device("somebody", sha256_hex(device.substr(device.find('=') + 1))));
}

TEST(Login, WhoIsKnownIsReadOrPutAside) {
  test::TempFolder folder;
  const std::string path = folder.path + "/known-clients.json";
  for (const char* text :
       {"", "{", "[]", R"({"clients":[]})", R"({"clients":{"a":[{"address":1}]}})", "\x01\x02"}) {
    std::ofstream(path, std::ios::trunc) << text;
    const KnownClients known = KnownClients::open(folder.path, 0);
    EXPECT_TRUE(known.all().empty()) << text;
    EXPECT_NE(known.notice().find("known-clients.json.damaged"), std::string::npos) << text;
    EXPECT_FALSE(std::filesystem::exists(path)) << text;
  }
  KnownClients known = KnownClients::open(folder.path, 0);
  EXPECT_EQ(known.notice(), "");
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(known.remember("a", {"192.0.2.1", "device" + std::to_string(i), i}));
  EXPECT_EQ(known.all().at("a").size(), KnownClients::kMaxOfAccount);
  EXPECT_TRUE(known.has_device("a", "device99"));
  EXPECT_FALSE(known.has_device("a", "device0"));
  EXPECT_FALSE(known.has_device("a", ""));
  EXPECT_TRUE(KnownClients::open(folder.path, 0).has_device("a", "device99"));
  EXPECT_FALSE(KnownClients::open(folder.path, KnownClients::kForgetMs + 1000).has_device("a", "device99"));
}

// However the system's clock is set, nobody waits longer than the longest delay, and nobody less.
TEST(Login, WaitsAreBoundedWhateverTheClockDoes) {
  LoginGuard guard;
  for (int i = 0; i < 40; ++i) guard.failed("ann", "198.51.100.7", 1'000'000);
  EXPECT_EQ(guard.delay_ms("ann", "198.51.100.7", 1'000'000), LoginGuard::kMaxDelayMs);
  EXPECT_EQ(guard.delay_ms("ann", "198.51.100.7", 0), LoginGuard::kMaxDelayMs);
}

// Retry-After is that wait in seconds, also while the system's clock is set forward and back.
TEST(Login, RetryAfterIsAtMostTheLongestDelayWhileTheClockJumps) {
  constexpr std::int64_t kYearUs = 365LL * 24 * 3600 * 1'000'000;
  ConsoleUnderTest console;
  console.set_up();
  console.peer = "198.51.100.1";
  const auto wait_s = [&] {
    const HttpResponse refused = console.call("POST", "/api/v1/session", login("admin", "wrong-password"));
    if (refused.status != 429) return std::int64_t{0};
    return static_cast<std::int64_t>(std::stoll(std::string(refused.header("Retry-After"))));
  };
  std::int64_t longest = 0;
  for (int i = 0; i < 30; ++i) {
    console.clock.jump_us = (i % 3 - 1) * kYearUs;
    const std::int64_t wait = wait_s();
    longest = std::max(longest, wait);
    ASSERT_LE(wait * 1000, LoginGuard::kMaxDelayMs) << i;
    for (const std::int64_t jump : {-kYearUs, std::int64_t{0}, kYearUs}) {
      if (wait == 0) break;
      console.clock.jump_us = jump;
      EXPECT_EQ(wait_s(), wait) << "a jump of " << jump << " us ends or lengthens no wait";
    }
    console.clock.advance_ms(wait * 1000);
  }
  EXPECT_EQ(longest * 1000, LoginGuard::kMaxDelayMs);
}

}  // namespace
}  // namespace wafd::console
