// Two consoles over one PostgreSQL that share users, sessions, tokens and audit log; and what holds while it
// is away.
#include "console/io/fleet/fleet_accounts.h"

#include <atomic>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "console/base/secrets.h"
#include "console/credentials/totp.h"
#include "console/io/console_server.h"
#include "console/io/offline.h"
#include "detect/policy/policy.h"
#include "files/small_file.h"
#include "forward/io/postgres/roles.h"
#include "forward/io/postgres/session.h"
#include "ingest/io/kit/system.h"
#include "tests/forward/io/postgres/cutting_proxy.h"
#include "tests/support/console_parts.h"
#include "tests/support/fleet_postgres.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_client.h"

namespace wafd::console {
namespace {

using test::Answer;
using test::wait_until;

constexpr Asset kAccountsPage[] = {{"/", "text/html; charset=utf-8", "<!doctype html>", "", "", "e1", false}};
constexpr int kPatienceMs = 30'000;
constexpr const char* kPassword = "violet-otter-41";
constexpr const char* kConsoleRole = "wafd_console";

// The system's, and a while ahead of it.
class AheadClock final : public Clock {
 public:
  std::int64_t unix_us() const noexcept override { return clock_.unix_us() + ahead_ms * 1000; }
  std::int64_t monotonic_us() const noexcept override { return clock_.monotonic_us() + ahead_ms * 1000; }
  std::atomic<std::int64_t> ahead_ms = 0;

 private:
  kit::SystemClock clock_;
};

boost::json::object object_of(const Answer& answer) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse(answer.body, error);
  return error || !value.is_object() ? boost::json::object() : value.get_object();
}

std::string text_of(const Answer& answer, const char* member) {
  const boost::json::object object = object_of(answer);
  const auto* value = object.if_contains(member);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string cookie_of(const Answer& answer) {
  const std::string header = answer.header("Set-Cookie");
  return "Cookie: " + header.substr(0, header.find(';')) + "\r\nX-Wafd-Csrf: 1\r\n";
}

std::string bearer(const std::string& token) { return "Authorization: Bearer " + token + "\r\n"; }

// One console with its node's folder.
class OneConsole {
 public:
  OneConsole(std::uint16_t database_port, std::string name, const std::string& key,
             std::unique_ptr<test::TempFolder> folder = std::make_unique<test::TempFolder>())
      : folder_(std::move(folder)),
        name_(std::move(name)),
        fleet_(test::fleet_place(database_port, kConsoleRole), clock),
        accounts_(test::fleet_place(database_port, kConsoleRole), clock, kAccountPatience) {
    lock_ = std::move(StateLock::take(folder_->path).value());
    forward::RingOptions ring_options;
    ring_options.path = folder_->path + "/ring";
    ring_options.size_bytes = 4u << 20;
    ring_ = std::move(forward::Ring::open(ring_options).value());
    ConsoleOptions options;
    options.listen = Endpoint::parse("127.0.0.1:0").value();
    options.state_dir = folder_->path;
    options.node = name_;
    options.assets = kAccountsPage;
    options.password_cost = {64, 1};
    options.fleet_key_file = folder_->path + "/fleet-key";
    std::ofstream(options.fleet_key_file) << key << "\n";
    ConsoleParts parts{clock,
                       random_,
                       *ring_,
                       delivery_,
                       hooks(),
                       nullptr,
                       [](const std::function<void(StatusReport)>& done) { done({}); },
                       [](const std::function<void(std::vector<detect::UsageCounters>)>& done) { done({}); },
                       [] { return true; },
                       [this](const std::string& line) {
                         const std::lock_guard lock(mutex_);
                         log_ += line + "\n";
                       }};
    parts.fleet = parts.fleet_tails = &fleet_;
    parts.accounts = &accounts_;
    auto server = ConsoleServer::open(std::move(options), std::move(parts));
    if (!server) throw std::runtime_error(server.error().what);
    server_ = std::move(*server);
    server_->start();
    port_ = server_->local().port;
  }

  Answer ask(const std::string& method, const std::string& target, const std::string& headers = {},
             const std::string& body = {}) const {
    test::TlsClient client(port_, 30);
    return client.request(method, target, headers, body);
  }
  Answer log_in(const std::string& user, const std::string& code = {},
                const std::string& word = kPassword) const {
    return ask("POST", "/api/v1/session", {},
               fmt::format(R"({{"username":"{}","password":"{}"{}}})", user, word,
                           code.empty() ? "" : R"(,"code":")" + code + '"'));
  }
  int reads(const std::string& headers) const { return ask("GET", "/api/v1/me", headers).status; }
  // Until it can ask the database, or cannot.
  bool comes(bool away, const std::string& headers) const {
    return wait_until(
        [&] {
          const auto me = object_of(ask("GET", "/api/v1/me", headers));
          return me.contains("accounts") && me.at("accounts").at("away").as_string().empty() != away;
        },
        kPatienceMs);
  }
  std::string set_up() const {
    const Answer made = ask("POST", "/api/v1/setup", {},
                            fmt::format(R"({{"token":"{}","username":"admin","password":"{}"}})",
                                        server_->setup_token(), kPassword));
    EXPECT_EQ(made.status, 201) << made.body;
    return cookie_of(made);
  }
  Result<boost::json::object> command(const std::string& text) const {
    return run_command(folder_->path, boost::json::parse(text).as_object());
  }
  std::string log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  const std::string& folder() const { return folder_->path; }
  std::string setup_token() const { return server_->setup_token(); }
  std::string instance() const { return ring_->generation(); }
  std::unique_ptr<test::TempFolder> end() {
    server_->stop();
    server_.reset();
    ring_.reset();
    lock_.reset();
    return std::move(folder_);
  }

  AheadClock clock;

 private:
  static SettingsHooks hooks() {
    SettingsHooks hooks;
    hooks.check_policy = [](const detect::PolicySettings& settings) -> Result<void> {
      if (auto policy = detect::Policy::build(settings); !policy) return tl::unexpected(policy.error());
      return {};
    };
    return hooks;
  }

  std::unique_ptr<test::TempFolder> folder_;
  std::unique_ptr<StateLock> lock_;
  const std::string name_;
  kit::SystemRandom random_;
  test::NotingDelivery delivery_;
  mutable std::mutex mutex_;
  std::string log_;
  forward::FleetDatabase fleet_, accounts_;
  std::unique_ptr<forward::Ring> ring_;
  std::unique_ptr<ConsoleServer> server_;
  std::uint16_t port_ = 0;
};

// At once, on the thread that asks.
class DirectWork final : public Background {
 public:
  Taken take(Task task) override {
    task.work();
    task.done();
    return Taken::kYes;
  }
};

// One console's copy of the accounts, which looks when it is told to.
struct OneCopy {
  OneCopy(std::uint16_t port, const std::string& key)
      : database(test::fleet_place(port, kConsoleRole), clock, kAccountPatience),
        own(CredentialStore::open(folder.path).value()),
        accounts({database, SealingKeys::parse(key), random, clock, pool, [](const std::string&) {}}, own) {
    accounts.look_now();
  }
  CredentialStore& store() { return accounts.store(); }

  test::TempFolder folder;
  kit::SystemClock clock;
  kit::SystemRandom random;
  forward::FleetDatabase database;
  CredentialStore own;
  DirectWork pool;
  FleetAccounts accounts;
};

class FleetAccountsTest : public test::OnSharedPostgres {
 protected:
  // By the rights that `wafd fleet roles` gives, no more.
  FleetAccountsTest() {
    forward::PgSession session(test::owner_connection(server.port, stop));
    EXPECT_TRUE(session.begin());
    EXPECT_TRUE(session.migrate());
    server.sql(forward::roles_sql("wafd_node", "wafd_console").value());
    server.sql("ALTER ROLE wafd_console PASSWORD 'secret'");
    kit::SystemRandom random;
    key = SealingKeys::make(random);
  }
  std::unique_ptr<OneConsole> console(const std::string& name) {
    return std::make_unique<OneConsole>(server.port, name, key);
  }
  static bool add_user(const OneConsole& at, const std::string& cookie, const std::string& name,
                       const std::string& role) {
    return at.ask("POST", "/api/v1/users", cookie,
                  fmt::format(R"({{"username":"{}","role":"{}","password":"{}"}})", name, role, kPassword))
               .status == 201;
  }

  std::string key;
};

TEST_F(FleetAccountsTest, ASessionOfOneIsGoodAtTheOtherAndEndsEverywhereAtOnce) {
  const auto a = console("a"), b = console("b");
  const std::string cookie = a->set_up();
  EXPECT_EQ(b->reads(cookie), 200) << "at once, behind a balancer";
  EXPECT_EQ(object_of(b->ask("GET", "/api/v1/setup")).at("needed"), false);
  const Answer other = b->log_in("admin");
  EXPECT_EQ(other.status, 200) << other.body;
  EXPECT_EQ(a->reads(cookie_of(other)), 200);
  EXPECT_EQ(object_of(a->ask("GET", "/api/v1/sessions", cookie)).at("sessions").as_array().size(), 2u);

  EXPECT_EQ(b->ask("DELETE", "/api/v1/sessions", cookie_of(other)).status, 204);
  EXPECT_EQ(b->reads(cookie), 401);
  EXPECT_TRUE(wait_until([&] { return a->reads(cookie) == 401; }, kPatienceMs));
  EXPECT_EQ(a->reads(cookie_of(other)), 401);
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_accounts WHERE kind = 'session'"), "0");
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_accounts WHERE body LIKE '%argon%' OR body LIKE '%admin%'"),
            "0")
      << "encrypted";
}

TEST_F(FleetAccountsTest, ATokenOfOneIsGoodAtTheOtherUntilItIsRevoked) {
  const auto a = console("a"), b = console("b");
  const std::string cookie = a->set_up();
  const Answer made = a->ask("POST", "/api/v1/tokens", cookie, R"({"name":"ci","scope":"write"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string token = text_of(made, "token");
  EXPECT_EQ(b->reads(bearer(token)), 200);
  EXPECT_EQ(b->reads(bearer("wafd_" + std::string(43, 'x'))), 401);
  const Answer twice = b->ask("POST", "/api/v1/tokens", cookie, R"({"name":"ci","scope":"read"})");
  EXPECT_EQ(twice.status, 409) << twice.body;
  EXPECT_EQ(b->ask("DELETE", "/api/v1/tokens/" + text_of(made, "id"), cookie).status, 204);
  EXPECT_EQ(b->reads(bearer(token)), 401);
  EXPECT_TRUE(wait_until([&] { return a->reads(bearer(token)) == 401; }, kPatienceMs));
}

TEST_F(FleetAccountsTest, ACodeIsGoodOnceWhereverItIsShown) {
  const auto a = console("a"), b = console("b");
  const std::string cookie = a->set_up();
  const Answer begun =
      a->ask("POST", "/api/v1/me/second-factor", cookie, fmt::format(R"({{"password":"{}"}})", kPassword));
  ASSERT_EQ(begun.status, 200) << begun.body;
  const std::string secret = test::decoded_base32(text_of(begun, "secret"));
  const auto code = [&] {
    return hotp(secret, static_cast<std::uint64_t>(b->clock.unix_us() / 1000 / kTotpStepMs));
  };
  const std::string first = code();
  const Answer on = b->ask("PUT", "/api/v1/me/second-factor", cookie, R"({"code":")" + first + R"("})");
  ASSERT_EQ(on.status, 200) << on.body;
  const std::string recovery(object_of(on).at("recovery_codes").as_array().at(0).as_string());

  EXPECT_EQ(text_of(a->log_in("admin"), "type"), "urn:wafd:problem:second-factor");
  EXPECT_EQ(text_of(a->log_in("admin", first), "type"), "urn:wafd:problem:login-failed");
  a->clock.ahead_ms = b->clock.ahead_ms = 2 * kTotpStepMs;  // what was known is older than that
  const std::string next = code();
  const Answer in = b->log_in("admin", next);
  EXPECT_EQ(in.status, 200) << in.body;
  EXPECT_EQ(text_of(a->log_in("admin", next), "type"), "urn:wafd:problem:login-failed");
  EXPECT_EQ(a->log_in("admin", recovery).status, 200);
  EXPECT_EQ(text_of(b->log_in("admin", recovery), "type"), "urn:wafd:problem:login-failed");
}

TEST_F(FleetAccountsTest, WhatALogInWasJudgedByMustStillBeSoWhereItIsKept) {
  OneCopy a(server.port, key), b(server.port, key);
  User ann;
  ann.username = "ann";
  ann.role = Role::kAdmin;
  ann.password = "old";
  ASSERT_TRUE(a.store().add_first_user(ann));
  EXPECT_TRUE(b.store().empty()) << "b has not looked yet";
  User eve = ann;
  eve.username = "eve";
  const auto second = b.store().add_first_user(eve);
  EXPECT_TRUE(!second && second.error().code == ErrorCode::kConflict);
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_accounts WHERE kind = 'user'"), "1");

  const auto open = [&](const std::string& password, bool code) {
    return b.store().open_session("ann", "192.0.2.1", "", b.random, b.clock.unix_us() / 1000,
                                  CredentialStore::Shown{password, code});
  };
  EXPECT_TRUE(open("old", false));
  ASSERT_TRUE(a.store().change_user("ann", std::nullopt, "new"));
  EXPECT_EQ(b.store().user("ann")->password, "old") << "b has not looked yet";
  const auto refused = open("old", false);
  EXPECT_TRUE(!refused && refused.error().code == ErrorCode::kDenied);
  EXPECT_TRUE(open("new", false));
  ASSERT_TRUE(a.store().update_user("ann", [](User& user) { user.second_factor.secret = "s"; }));
  EXPECT_FALSE(b.store().user("ann")->second_factor.on());
  EXPECT_FALSE(open("new", false));
  EXPECT_TRUE(open("new", true));
  // The old password's session went with it, in the same change.
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_accounts WHERE kind = 'session'"), "2");
}

// What became of a change is asked anew where nobody heard it.
TEST_F(FleetAccountsTest, AChangeWhoseCommitNobodyHeardIsKnownByItsId) {
  test::CuttingProxy proxy(server.port);
  OneCopy here(proxy.port(), key), there(server.port, key);
  std::vector<std::string> unknown;
  here.accounts.set_unknown([&](const std::vector<std::string>& accounts) { unknown = accounts; });
  const auto add = [&](const char* name) {
    User user;
    user.username = name;
    user.role = Role::kAdmin;
    user.password = "hash";
    return here.store().add_user(user);
  };
  ASSERT_TRUE(add("ann"));
  proxy.arm(test::CuttingProxy::Cut::kBeforeAnswer);
  const auto made = add("bob");
  EXPECT_TRUE(made) << made.error().what;
  EXPECT_EQ(proxy.cuts(), 1);
  proxy.arm(test::CuttingProxy::Cut::kBeforeCommit);
  const auto not_made = add("carl");
  ASSERT_FALSE(not_made);
  EXPECT_EQ(not_made.error().what,
            "the connection to the database broke, and the change was not made: try again");
  EXPECT_EQ(proxy.cuts(), 2);
  EXPECT_TRUE(unknown.empty());
  EXPECT_EQ(here.store().user("carl"), nullptr);
  EXPECT_TRUE(add("carl"));
  there.accounts.look_now();
  for (const char* name : {"ann", "bob", "carl"}) EXPECT_NE(there.store().user(name), nullptr) << name;

  proxy.arm(test::CuttingProxy::Cut::kForGood);
  const auto not_heard = add("dora");
  ASSERT_FALSE(not_heard);
  EXPECT_NE(not_heard.error().what.find("it is not known whether the change was made"), std::string::npos)
      << not_heard.error().what;
  EXPECT_EQ(unknown, std::vector<std::string>{"user dora"});
  there.accounts.look_now();
  EXPECT_NE(there.store().user("dora"), nullptr) << "as it happens, it was";

  // Another version of the same number, from a backup.
  server.sql("DELETE FROM wafd_accounts; UPDATE wafd_accounts_version SET change_id = 'of a backup'");
  there.accounts.look_now();
  EXPECT_TRUE(there.store().rows().users.empty());
}

// A commit that takes longer than anybody waits holds the row: it is asked until that is over.
TEST_F(FleetAccountsTest, AChangeThatStillHoldsTheRowIsAskedForAgain) {
  OneCopy here(server.port, key);
  std::vector<std::string> unknown;
  here.accounts.set_unknown([&](const std::vector<std::string>& accounts) { unknown = accounts; });
  server.sql(
      "CREATE TABLE go_on (yes boolean); CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql SECURITY "
      "DEFINER SET search_path FROM CURRENT AS $$ BEGIN LOOP BEGIN "
      "WHILE NOT EXISTS (SELECT FROM go_on) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NULL; "
      "EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$; "
      "CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON wafd_accounts_version DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION hold()");
  User user;
  user.username = "ann";
  user.role = Role::kAdmin;
  user.password = "hash";
  auto made = std::async(std::launch::async, [&] { return here.store().add_user(user); });
  std::set<std::string> waits;  // when each began
  EXPECT_TRUE(wait_until(
      [&] {
        for (const std::string& began :
             server.sql("SELECT query_start FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query "
                        "LIKE '%FROM wafd_accounts_version FOR UPDATE'"))
          waits.insert(began);
        return waits.size() >= 2;
      },
      kPatienceMs));
  server.sql("INSERT INTO go_on VALUES (true)");
  const auto known = made.get();
  EXPECT_TRUE(known) << known.error().what;
  EXPECT_TRUE(unknown.empty());
  EXPECT_NE(here.store().user("ann"), nullptr);
}

TEST_F(FleetAccountsTest, AChangeThatNobodyHeardOfIsNoAnswerOfItsConnection) {
  test::CuttingProxy proxy(server.port);
  kit::SystemClock clock;
  forward::FleetDatabase database(test::fleet_place(proxy.port(), kConsoleRole), clock, kAccountPatience);
  int works = 0;
  proxy.arm(test::CuttingProxy::Cut::kBeforeAnswer);
  const auto changed = database.run([&](forward::PgConnection& connection) -> forward::PgResult<void> {
    ++works;
    const auto done = forward::change_accounts(connection, std::nullopt, "one", [](const auto&) {
      return std::vector<forward::FleetAccountRow>{{"user", "ann", "sealed"}};
    });
    if (!done) return tl::unexpected(done.error());
    return {};
  });
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().state, forward::kPgNotHeard);
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(works, 1) << "never again";
  EXPECT_NE(database.state().error, "") << "nobody answered";
  // The next question has a connection of its own at once.
  const auto asked = database.run([&](forward::PgConnection& connection) -> forward::PgResult<void> {
    ++works;
    const auto answer = connection.run("SELECT 1");
    if (!answer) return tl::unexpected(answer.error());
    return {};
  });
  EXPECT_TRUE(asked) << asked.error().what;
  EXPECT_EQ(works, 2) << "not tried on the one that was cut";
  EXPECT_EQ(database.state().error, "");
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_accounts"), "1");
}

TEST_F(FleetAccountsTest, APasswordThatWasChangedElsewhereOpensNothingAndOneSetUpIsTheFirst) {
  const auto a = console("a"), b = console("b");
  const std::string cookie = a->set_up();
  const Answer late = b->ask(
      "POST", "/api/v1/setup", {},
      fmt::format(R"({{"token":"{}","username":"eve","password":"{}"}})", b->setup_token(), kPassword));
  EXPECT_EQ(late.status, 409) << late.body;
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_accounts WHERE kind = 'user'"), "1");
  ASSERT_EQ(b->log_in("admin").status, 200);
  const Answer changed = a->ask("PUT", "/api/v1/me/password", cookie,
                                fmt::format(R"({{"current":"{}","password":"amber-heron-77"}})", kPassword));
  ASSERT_EQ(changed.status, 204) << changed.body;
  const Answer old = b->log_in("admin");
  EXPECT_EQ(old.status, 401);
  EXPECT_EQ(text_of(old, "type"), "urn:wafd:problem:login-failed");
  EXPECT_EQ(b->log_in("admin", {}, "amber-heron-77").status, 200);
}

TEST_F(FleetAccountsTest, WhileTheDatabaseIsAwayThereIsReadingForAMinuteAndAWayBackIn) {
  const auto a = console("a"), b = console("b");
  const std::string cookie = a->set_up();
  ASSERT_TRUE(add_user(*a, cookie, "vera", "viewer"));
  EXPECT_EQ(b->reads(cookie), 200);
  stop_server();
  ASSERT_TRUE(a->comes(true, cookie));
  ASSERT_TRUE(b->comes(true, cookie));
  const auto me = object_of(b->ask("GET", "/api/v1/me", cookie)).at("accounts").as_object();
  EXPECT_NE(me.at("away").as_string().find("does not answer"), boost::json::string::npos);
  EXPECT_LE(me.at("reading_until_ms").as_int64(), b->clock.unix_us() / 1000 + 60'000);
  const Answer refused = b->ask("POST", "/api/v1/lists", cookie, R"({"kind":"deny","cidr":"192.0.2.1"})");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_NE(refused.body.find("nobody new can log in but an admin of this node's own files"),
            std::string::npos);
  EXPECT_NE(b->log_in("admin").body.find("does not answer"), std::string::npos) << "it is not of b's files";

  // Who may do anything on the machine makes the way back in.
  for (const char* user : {R"("root","role":"admin")", R"("eve","role":"operator")"}) {
    const auto added =
        b->command(fmt::format(R"({{"command":"user.add","username":{},"password":"{}"}})", user, kPassword));
    ASSERT_TRUE(added) << added.error().what;
  }
  EXPECT_EQ(b->log_in("eve").status, 401) << "no admin";
  const Answer root = b->log_in("root");
  ASSERT_EQ(root.status, 200) << root.body;
  EXPECT_EQ(text_of(root, "role"), "admin");
  EXPECT_EQ(b->ask("POST", "/api/v1/lists", cookie_of(root), R"({"kind":"deny","cidr":"192.0.2.1"})").status,
            201);
  EXPECT_EQ(a->reads(cookie_of(root)), 401) << "of b alone";
  EXPECT_EQ(b->ask("POST", "/api/v1/users", cookie_of(root),
                   fmt::format(R"({{"username":"mallory","role":"admin","password":"{}"}})", kPassword))
                .status,
            503);

  b->clock.ahead_ms = FleetAccounts::kReadingMs + 1'000;
  const Answer over = b->ask("GET", "/api/v1/me", cookie);
  EXPECT_EQ(over.status, 401);
  EXPECT_NE(over.body.find("does not answer"), std::string::npos);
  EXPECT_EQ(b->reads(cookie_of(root)), 200);

  start_server();
  ASSERT_TRUE(b->comes(false, cookie));
  EXPECT_EQ(b->ask("POST", "/api/v1/lists", cookie, R"({"kind":"deny","cidr":"192.0.2.2"})").status, 201);
  EXPECT_EQ(b->reads(cookie_of(root)), 401) << "only while the fleet's cannot be asked";
  EXPECT_EQ(b->log_in("root").status, 401);
}

TEST_F(FleetAccountsTest, WhileTheDatabaseTakesNoChangesItIsSaidAndThereIsAWayIn) {
  const auto a = console("a");
  const std::string cookie = a->set_up();
  const auto away = [&] {
    const auto me = object_of(a->ask("GET", "/api/v1/me", cookie));
    return me.contains("accounts") ? std::string(me.at("accounts").at("away").as_string()) : "nobody";
  };
  const auto says = [&](const char* what) {
    return wait_until([&] { return away().find(what) != std::string::npos; }, kPatienceMs);
  };
  server.sql("REVOKE UPDATE ON wafd_accounts FROM wafd_console");
  EXPECT_FALSE(add_user(*a, cookie, "vera", "viewer"));
  EXPECT_TRUE(says("takes no changes")) << away();
  EXPECT_TRUE(says("permission denied")) << away();
  EXPECT_NE(a->log().find("takes no changes: "), std::string::npos) << a->log();
  server.sql("GRANT UPDATE ON wafd_accounts TO wafd_console");
  ASSERT_TRUE(a->comes(false, cookie));
  EXPECT_TRUE(add_user(*a, cookie, "vera", "viewer"));
  EXPECT_EQ(server.one("SELECT count(*) FROM wafd_accounts WHERE kind NOT IN ('user', 'session')"), "0");

  server.stop(SIGINT);
  server.standby(true);
  server.start();
  EXPECT_TRUE(says("takes no changes")) << away() << a->log();
  EXPECT_EQ(a->reads(cookie), 200);
  const Answer stranger = a->log_in("vera");
  EXPECT_NE(stranger.body.find("takes no changes"), std::string::npos) << stranger.body;
  EXPECT_EQ(stranger.body.find("standby"), std::string::npos) << "why is for people who are known";
  ASSERT_TRUE(a->command(fmt::format(
      R"({{"command":"user.add","username":"root","role":"admin","password":"{}"}})", kPassword)));
  const Answer root = a->log_in("root");
  EXPECT_EQ(root.status, 200) << root.body;
  a->clock.ahead_ms = FleetAccounts::kReadingMs + 1'000;
  EXPECT_TRUE(wait_until([&] { return a->reads(cookie) == 401; }, kPatienceMs));
  EXPECT_EQ(a->reads(cookie_of(root)), 200);

  server.stop(SIGINT);
  server.standby(false);
  server.start();
  ASSERT_TRUE(a->comes(false, cookie));
  EXPECT_TRUE(add_user(*a, cookie, "otto", "viewer"));
}

TEST_F(FleetAccountsTest, TheFirstConsoleBringsItsUsersAndItsFilesFollowTheFleet) {
  auto folder = std::make_unique<test::TempFolder>();
  {
    ASSERT_TRUE(run_command(
        folder->path,
        boost::json::parse(
            fmt::format(R"({{"command":"user.add","username":"admin","role":"admin","password":"{}"}})",
                        kPassword))
            .as_object()));
  }
  auto a = std::make_unique<OneConsole>(server.port, "a", key, std::move(folder));
  EXPECT_TRUE(a->setup_token().empty());
  const auto b = console("b");
  EXPECT_TRUE(b->setup_token().empty());
  const Answer in = b->log_in("admin");
  ASSERT_EQ(in.status, 200) << in.body << a->log();
  const Answer changed = b->ask("PUT", "/api/v1/me/password", cookie_of(in),
                                fmt::format(R"({{"current":"{}","password":"amber-heron-77"}})", kPassword));
  ASSERT_EQ(changed.status, 204) << changed.body;
  EXPECT_EQ(a->log_in("admin").status, 401);
  stop_server();
  ASSERT_TRUE(a->comes(true, cookie_of(in)));
  EXPECT_EQ(a->log_in("admin").status, 401) << "the password of before is not the way back in";
  EXPECT_EQ(a->log_in("admin", {}, "amber-heron-77").status, 200);
}

TEST_F(FleetAccountsTest, ADamagedOrForeignRowGivesNobodyAnyRight) {
  const auto a = console("a");
  const std::string cookie = a->set_up();
  ASSERT_TRUE(add_user(*a, cookie, "vera", "viewer"));
  ASSERT_TRUE(add_user(*a, cookie, "otto", "admin"));
  const Answer vera = a->log_in("vera");
  ASSERT_EQ(vera.status, 200);
  const auto changed = [&](const std::string& sql) {
    server.sql(sql + "; UPDATE wafd_accounts_version SET version = version + 1");
  };
  // An admin's row in the place of a viewer's, what was cut, another kind, a name that nobody was given.
  changed(
      "UPDATE wafd_accounts SET body = (SELECT body FROM wafd_accounts WHERE kind = 'user' AND name = "
      "'otto') "
      "WHERE kind = 'user' AND name = 'vera'");
  EXPECT_TRUE(wait_until([&] { return a->reads(cookie_of(vera)) == 401; }, kPatienceMs));
  EXPECT_EQ(a->log_in("vera").status, 401);
  EXPECT_NE(a->log().find("1 accounts in the fleet's database are damaged or not of this fleet"),
            std::string::npos)
      << a->log();
  changed(
      "INSERT INTO wafd_accounts SELECT kind, 'mallory', body FROM wafd_accounts WHERE kind = 'user' AND "
      "name = "
      "'otto'; UPDATE wafd_accounts SET body = left(body, 60) WHERE kind = 'user' AND name = 'otto'; INSERT "
      "INTO wafd_accounts VALUES ('root', 'x', 'v1:00000000:AAAA'), ('user', 'y', '{\"role\":\"admin\"}')");
  EXPECT_TRUE(wait_until([&] { return a->log_in("otto").status == 401; }, kPatienceMs));
  EXPECT_EQ(a->log_in("mallory").status, 401);
  EXPECT_EQ(a->reads(cookie), 200) << "who is sound goes on";
  EXPECT_EQ(object_of(a->ask("GET", "/api/v1/users", cookie)).at("users").as_array().size(), 1u);
  // One without the fleet's key knows nobody, and offers no first start.
  kit::SystemRandom random;
  const OneConsole stranger(server.port, "s", SealingKeys::make(random));
  EXPECT_EQ(stranger.reads(cookie), 401);
  EXPECT_TRUE(stranger.setup_token().empty());
  EXPECT_NE(stranger.log().find("fleet.key_file does not open the accounts"), std::string::npos);
}

// The entries of a node in the database, checked as the file is.
std::string chain_faults(const test::RealPostgres& server, const std::string& instance) {
  std::string before, faults;
  for (const std::string& line :
       server.sql("SELECT line FROM wafd_audit WHERE instance = '" + instance + "' ORDER BY part, seq")) {
    const std::size_t at = line.rfind(R"(,"chain":")");
    const std::string chain = line.substr(at + 10, 64);
    if (sha256_hex(before + '\n' + line.substr(0, at) + '}') != chain) faults += line + "\n";
    before = chain;
  }
  return faults;
}

TEST_F(FleetAccountsTest, TheAuditLogsOfAllNodesAreTogetherEachAChain) {
  const auto a = console("a"), b = console("b");
  const std::string cookie = a->set_up();
  ASSERT_TRUE(add_user(*b, cookie, "vera", "viewer"));
  const auto nodes = [&](const std::string& action) {
    return server.one(
        "SELECT coalesce(string_agg(node, ',' ORDER BY node), '') FROM wafd_audit WHERE line LIKE '%\"" +
        action + "\"%'");
  };
  EXPECT_TRUE(wait_until([&] { return nodes("user.create") == "a,b"; }, kPatienceMs)) << nodes("user.create");
  const auto page = object_of(a->ask("GET", "/api/v1/audit?q=user.create&limit=1", cookie));
  ASSERT_TRUE(page.contains("entries") && page.at("entries").as_array().size() == 1u) << page;
  EXPECT_EQ(page.at("entries").at(0).at("node"), "b");
  EXPECT_EQ(page.at("fleet").at("answered"), true);
  const auto second = object_of(a->ask(
      "GET", "/api/v1/audit?q=user.create&limit=1&before=" + std::string(page.at("before").as_string()),
      cookie));
  ASSERT_TRUE(second.contains("entries") && second.at("entries").as_array().size() == 1u) << second;
  EXPECT_EQ(second.at("entries").at(0).at("node"), "a");
  EXPECT_TRUE(second.at("before").is_null());
  EXPECT_EQ(a->ask("GET", "/api/v1/audit?before=1.2.3.x", cookie).status, 400);

  stop_server();
  ASSERT_TRUE(b->comes(true, cookie));
  EXPECT_EQ(b->log_in("nobody").status, 401);
  const auto own = object_of(b->ask("GET", "/api/v1/audit?q=session.refused", cookie));
  EXPECT_EQ(own.at("fleet").at("answered"), false);
  EXPECT_EQ(own.at("entries").as_array().size(), 1u);
  start_server();
  EXPECT_TRUE(wait_until([&] { return nodes("session.refused") == "b"; }, kPatienceMs))
      << "it is brought later";
  EXPECT_EQ(chain_faults(server, a->instance()), "");
  EXPECT_EQ(chain_faults(server, b->instance()), "");
  EXPECT_THROW(server.sql("DELETE FROM wafd_audit", "postgres", "wafd_console"), std::runtime_error);
  EXPECT_THROW(server.sql("UPDATE wafd_audit SET line = ''", "postgres", "wafd_console"), std::runtime_error);
}

TEST_F(FleetAccountsTest, AnotherTextWhereAnEntryGoesIsSaidAndLosesNone) {
  const auto a = console("a");
  const std::string cookie = a->set_up(), here = " WHERE instance = '" + a->instance() + "'";
  const auto count = [&](const std::string& what) {
    return server.one("SELECT count(*) FROM wafd_audit" + here + " AND " + what);
  };
  ASSERT_TRUE(wait_until([&] { return count("line LIKE '%\"session.open\"%'") == "1"; }, kPatienceMs));
  server.sql(
      "INSERT INTO wafd_audit (instance, part, node, seq, time, line) SELECT instance, part, 'x', seq + n, "
      "now(), 'other' FROM (SELECT * FROM wafd_audit" +
      here + " ORDER BY seq DESC LIMIT 1) AS last, generate_series(1, 3) AS n ON CONFLICT DO NOTHING");
  EXPECT_EQ(a->log_in("nobody").status, 401);
  EXPECT_TRUE(
      wait_until([&] { return count("part = 2 AND line LIKE '%\"session.refused\"%'") == "1"; }, kPatienceMs))
      << a->log();
  EXPECT_EQ(count("part = 2 AND line LIKE '%\"session.open\"%'"), "1") << "the part is whole";
  EXPECT_NE(a->log().find("has another text behind entry"), std::string::npos) << a->log();
  EXPECT_NE(a->ask("GET", "/api/v1/status", cookie).body.find("had another text at entry"),
            std::string::npos);
  server.sql("REVOKE INSERT ON wafd_audit FROM wafd_console");
  EXPECT_EQ(a->log_in("nobody").status, 401);
  EXPECT_TRUE(wait_until(
      [&] {
        return a->ask("GET", "/api/v1/status", cookie)
                   .body.find("1 entries of audit.log are not in the fleet's database yet") !=
               std::string::npos;
      },
      kPatienceMs));
  EXPECT_NE(a->log().find("audit.log cannot be copied into the fleet's database"), std::string::npos);
}

TEST_F(FleetAccountsTest, AnAuditLogThatWasTakenAwayBeginsAnewBesideItsCopy) {
  auto a = console("a");
  const std::string cookie = a->set_up(), instance = a->instance();
  const auto count = [&](int part) {
    return server.one(fmt::format("SELECT count(*) > 0 FROM wafd_audit WHERE instance = '{}' AND part = {}",
                                  instance, part));
  };
  ASSERT_TRUE(wait_until([&] { return count(1) == "t"; }, kPatienceMs));
  auto folder = a->end();
  std::filesystem::remove(folder->path + "/audit.log");
  std::filesystem::remove(folder->path + "/audit.head");
  a = std::make_unique<OneConsole>(server.port, "a", key, std::move(folder));
  EXPECT_EQ(a->log_in("nobody").status, 401);
  EXPECT_TRUE(wait_until([&] { return count(2) == "t"; }, kPatienceMs));
  EXPECT_NE(a->log().find("does not go on where its copy"), std::string::npos) << a->log();
}

}  // namespace
}  // namespace wafd::console
