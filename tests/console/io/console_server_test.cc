// The console over real TLS sockets.
#include "console/io/console_server.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "console/io/certificate.h"
#include "console/io/offline.h"
#include "detect/policy/policy.h"
#include "files/small_file.h"
#include "ingest/io/kit/system.h"
#include "tests/support/console_parts.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tls_client.h"

namespace wafd::console {
namespace {

using test::Answer;
using test::TlsClient;

constexpr Asset kAssets[] = {
    {"/", "text/html; charset=utf-8", "<!doctype html><title>wafd</title>", "", "", "e1", false},
    {"/assets/app-1.js", "text/javascript; charset=utf-8", "identity", "gz", "br", "e2", true},
};

class ConsoleServerTest : public ::testing::Test {
 protected:
  void open(ConsoleOptions options = {}) {
    if (!ring_) {
      forward::RingOptions ring_options;
      ring_options.path = folder_.path + "/ring";
      ring_options.size_bytes = 4u << 20;
      auto ring = forward::Ring::open(ring_options);
      ASSERT_TRUE(ring) << ring.error().what;
      ring_ = std::move(*ring);
    }
    options.listen = Endpoint::parse("127.0.0.1:0").value();
    options.state_dir = folder_.path;
    options.node = "node-1";
    options.assets = kAssets;
    options.password_cost = {64, 1};
    SettingsHooks hooks;
    hooks.check_policy = [](const detect::PolicySettings& settings) -> Result<void> {
      if (auto policy = detect::Policy::build(settings); !policy) return tl::unexpected(policy.error());
      return {};
    };
    hooks.apply_targets = [this](const std::vector<forward::TargetSettings>& targets) {
      delivery_.apply(targets);
    };
    auto server = ConsoleServer::open(
        options, {clock_, random_, *ring_, delivery_, hooks, nullptr,
                  [](const std::function<void(StatusReport)>& done) { done({}); },
                  [this](const std::function<void(std::vector<detect::UsageCounters>)>& done) {
                    std::vector<detect::UsageCounters> parts(1);
                    parts[0].rules["m_sqli/1"] = {1, 7};
                    ++taken_;
                    done(std::move(parts));
                  },
                  [] { return true; }, [](const std::string&) {}});
    ASSERT_TRUE(server) << server.error().what;
    server_ = std::move(*server);
    server_->start();
    port_ = server_->local().port;
  }
  Answer set_up(TlsClient& client) {
    return client.request(
        "POST", "/api/v1/setup", "",
        R"({"token":")" + server_->setup_token() + R"(","username":"admin","password":"violet-otter-41"})");
  }
  static std::string cookie_of(const Answer& answer) {
    const std::string header = answer.header("Set-Cookie");
    return "Cookie: " + header.substr(0, header.find(';')) + "\r\nX-Wafd-Csrf: 1\r\n";
  }

  test::TempFolder folder_;
  kit::SystemClock clock_;
  kit::SystemRandom random_;
  test::NotingDelivery delivery_;
  std::atomic<std::uint64_t> taken_{0};  // how often hits were
  std::unique_ptr<forward::Ring> ring_;
  std::unique_ptr<ConsoleServer> server_;
  std::uint16_t port_ = 0;
};

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

TEST_F(ConsoleServerTest, HitsAreSavedWhenItStops) {
  open();
  TlsClient client(port_);
  set_up(client);
  server_->stop();
  const UsageCounterStore saved = UsageCounterStore::open(folder_.path);
  EXPECT_GT(taken_.load(), 0u);
  EXPECT_EQ(saved.total().rules.at("m_sqli/1").count, taken_.load());
}

// Judging does not depend on them, and a stranger gains nothing by their damage.
TEST_F(ConsoleServerTest, DamagedCredentialsAskForASetUpWithItsToken) {
  open();
  const std::string before = server_->setup_token();
  {
    TlsClient client(port_);
    ASSERT_EQ(set_up(client).status, 201);
  }
  server_->stop();
  server_.reset();
  std::ofstream(folder_.path + "/credentials.json", std::ios::trunc) << R"({"format":1,"users":[{)";
  open();
  EXPECT_NE(server_->setup_token(), "");
  EXPECT_NE(server_->setup_token(), before);
  TlsClient client(port_);
  const auto with = [&](const std::string& token) {
    return client
        .request("POST", "/api/v1/setup", "",
                 R"({"token":")" + token + R"(","username":"admin","password":"violet-otter-42"})")
        .status;
  };
  EXPECT_EQ(
      client.request("POST", "/api/v1/session", "", R"({"username":"admin","password":"violet-otter-41"})")
          .status,
      401);
  EXPECT_EQ(with(""), 403);
  EXPECT_EQ(with(before), 403);
  EXPECT_EQ(with(server_->setup_token()), 201);
  std::ifstream audit(folder_.path + "/audit.log");
  const std::string log((std::istreambuf_iterator<char>(audit)), std::istreambuf_iterator<char>());
  EXPECT_NE(log.find("credentials.put_aside"), std::string::npos);
}

TEST_F(ConsoleServerTest, FirstStartLoginEventsTargetsTest) {
  open();
  std::ifstream file(folder_.path + "/setup-token");
  std::string token;
  file >> token;
  EXPECT_EQ(token, server_->setup_token());
  EXPECT_EQ(mode_of(folder_.path + "/setup-token"), 0600u);

  TlsClient client(port_);
  ASSERT_TRUE(client.handshake());
  EXPECT_EQ(
      client.request("POST", "/api/v1/session", "", R"({"username":"admin","password":"violet-otter-41"})")
          .status,
      401);
  const Answer done = set_up(client);
  ASSERT_EQ(done.status, 201) << done.body;
  EXPECT_EQ(done.header("Set-Cookie").find("__Host-wafd="), 0u);
  EXPECT_EQ(mode_of(folder_.path + "/credentials.json"), 0600u);
  EXPECT_EQ(mode_of(folder_.path + "/setup-token"), 0u) << "the token's file must be gone";
  const std::string cookie = cookie_of(done);
  EXPECT_EQ(
      client.request("POST", "/api/v1/session", "", R"({"username":"admin","password":"violet-otter-41"})")
          .status,
      200);

  ASSERT_TRUE(ring_->append(test::make_event(7, clock_.unix_us() / 1000)));
  const Answer events = client.request("GET", "/api/v1/events?q=type:sqli", cookie);
  ASSERT_EQ(events.status, 200) << events.body;
  EXPECT_NE(events.body.find("\"event_id\":\"00000000000000000000000000000007\""), std::string::npos);
  EXPECT_EQ(client.request("GET", "/api/v1/events/00000000000000000000000000000007", cookie).status, 200);
  EXPECT_EQ(client.request("GET", "/api/v1/events/00000000000000000000000000000008", cookie).status, 404);

  const Answer made = client.request("POST", "/api/v1/syslog/targets", cookie,
                                     R"({"name":"siem","transport":"udp","host":"127.0.0.1","port":1514})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(delivery_.applied.size(), 1u);
  const Answer tested =
      client.request("POST", "/api/v1/syslog/test", cookie, R"({"transport":"udp","host":"127.0.0.1"})");
  ASSERT_EQ(tested.status, 200) << tested.body;
  EXPECT_NE(tested.body.find("\"verdict\":\"sent\""), std::string::npos);
}

TEST_F(ConsoleServerTest, PageIsNegotiatedAndGuarded) {
  open();
  TlsClient client(port_);
  const Answer page = client.request("GET", "/?page=settings&anything=1");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Security-Policy"),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
            "form-action 'self'; "
            "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'");
  EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(page.header("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(client.request("GET", "/assets/app-1.js", "Accept-Encoding: gzip, br\r\n").body, "br");
  EXPECT_EQ(client.request("GET", "/assets/app-1.js", "Accept-Encoding: gzip, br;q=0\r\n").body, "gz");
  EXPECT_EQ(client.request("GET", "/assets/app-1.js").body, "identity");
  EXPECT_EQ(client.request("GET", "/assets/app-1.js", "If-None-Match: \"e2\"\r\n").status, 304);
  EXPECT_EQ(client.request("GET", "/assets/app-1.js").header("Cache-Control"),
            "public, max-age=31536000, immutable");
  EXPECT_EQ(client.request("GET", "/nothing").status, 404);
}

// Searches that fill every thread they may have keep nobody from logging in; one user gets a bounded number
// of them, and those whose clients are gone are not made.
TEST_F(ConsoleServerTest, LogInsWaitForNoSearch) {
  open();
  TlsClient client(port_);
  const std::string cookie = cookie_of(set_up(client));
  // A kept version that cannot be read to its end holds up the thread that reads it.
  const std::string pipe = folder_.path + "/settings-versions/00000001.json";
  ASSERT_TRUE(make_folder(folder_.path + "/settings-versions"));
  ::unlink(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::vector<std::unique_ptr<TlsClient>> held;
  for (int i = 0; i < 4; ++i) {
    held.push_back(std::make_unique<TlsClient>(port_));
    ASSERT_TRUE(held.back()->send("GET /api/v1/settings/versions HTTP/1.1\r\nHost: a\r\n" + cookie + "\r\n"));
  }
  std::vector<std::unique_ptr<TlsClient>> searches;
  for (int i = 0; i < 30; ++i) {
    searches.push_back(std::make_unique<TlsClient>(port_));
    ASSERT_TRUE(
        searches.back()->send("GET /api/v1/events?q=%2Aa%2Ab%2A HTTP/1.1\r\nHost: a\r\n" + cookie + "\r\n"));
  }
  // The last ones are beyond what one user may have under way.
  EXPECT_EQ(searches.back()->read_answer().status, 429);
  const Answer inside = TlsClient(port_).request("POST", "/api/v1/session", "",
                                                 R"({"username":"admin","password":"violet-otter-41"})");
  EXPECT_EQ(inside.status, 200) << inside.body;
  searches.clear();
  const int writer = ::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ::unlink(pipe.c_str());
  ASSERT_GE(writer, 0);
  ::close(writer);
  for (auto& waiting : held) EXPECT_EQ(waiting->read_answer().status, 200);
  EXPECT_EQ(client.request("GET", "/api/v1/events?q=a", cookie).status, 200);
}

TEST_F(ConsoleServerTest, LiveTailSendsEventsAndResumes) {
  open();
  TlsClient client(port_);
  const std::string cookie = cookie_of(set_up(client));
  TlsClient tail(port_);
  ASSERT_TRUE(tail.send("GET /api/v1/events/stream?q=type:sqli HTTP/1.1\r\nHost: x\r\n" + cookie + "\r\n"));
  ASSERT_TRUE(tail.receive_until("event: hello"));
  ASSERT_TRUE(ring_->append(test::make_event(1, clock_.unix_us() / 1000, "192.0.2.1", AttackType::kXss)));
  auto seq = ring_->append(test::make_event(2, clock_.unix_us() / 1000));
  ASSERT_TRUE(seq);
  ASSERT_TRUE(tail.receive_until("00000000000000000000000000000002"));
  EXPECT_EQ(tail.buffer().find("00000000000000000000000000000001"), std::string::npos)
      << "filtered by the query";
  EXPECT_NE(tail.buffer().find("id: " + std::to_string(*seq) + "\nevent: event\ndata: {"), std::string::npos);

  ASSERT_TRUE(ring_->append(test::make_event(3, clock_.unix_us() / 1000)));
  TlsClient again(port_);
  ASSERT_TRUE(again.send("GET /api/v1/events/stream HTTP/1.1\r\nHost: x\r\nLast-Event-ID: " +
                         std::to_string(*seq) + "\r\n" + cookie + "\r\n"));
  ASSERT_TRUE(again.receive_until("00000000000000000000000000000003"));
  EXPECT_EQ(again.buffer().find("00000000000000000000000000000002"), std::string::npos);

  EXPECT_EQ(client.request("DELETE", "/api/v1/session", cookie).status, 204);
  ASSERT_TRUE(tail.receive_until("event: end\ndata: {\"reason\":\"session\"}")) << tail.buffer();
}

TEST_F(ConsoleServerTest, ExportStreamsEveryRecord) {
  open();
  TlsClient client(port_);
  const std::string cookie = cookie_of(set_up(client));
  for (std::uint64_t i = 1; i <= 600; ++i)
    ASSERT_TRUE(ring_->append(test::make_event(i, clock_.unix_us() / 1000)));
  const Answer lines = client.request("GET", "/api/v1/events/export?format=ndjson", cookie);
  EXPECT_EQ(lines.status, 200);
  EXPECT_EQ(std::count(lines.body.begin(), lines.body.end(), '\n'), 600);
  EXPECT_EQ(lines.header("Content-Disposition"), "attachment; filename=\"wafd-events.ndjson\"");
  EXPECT_EQ(lines.header("Content-Security-Policy"), "sandbox; default-src 'none'");
  EXPECT_EQ(lines.header("X-Content-Type-Options"), "nosniff");
  const Answer table =
      client.request("GET", "/api/v1/events/export?format=csv&q=id:00000000000000000000000000000009", cookie);
  EXPECT_NE(table.body.find(",'=cmd|' /C calc'!A0,"), std::string::npos) << table.body;
  EXPECT_NE(table.body.find("\"test, \"\"quoted\"\"\""), std::string::npos);
}

TEST_F(ConsoleServerTest, SlowHandshakesAndHalfRequestsEnd) {
  ConsoleOptions options;
  options.limits.handshake_ms = 200;
  options.limits.request_ms = 200;
  open(options);
  TlsClient silent(port_);
  char byte = 0;
  EXPECT_EQ(::recv(silent.descriptor(), &byte, 1, 0), 0) << "a client that never speaks is closed";
  TlsClient half(port_);
  ASSERT_TRUE(half.send("GET / HTTP/1.1\r\nHost:"));
  EXPECT_EQ(half.read_answer().status, 408);
  TlsClient plain(port_);
  EXPECT_EQ(plain.request("GET", "/healthz").status, 200) << "others are served all the while";
}

TEST_F(ConsoleServerTest, StrangersOfOneAddressAreCapped) {
  ConsoleOptions options;
  options.max_strangers_per_address = 4;
  open(options);
  TlsClient inside(port_);
  const std::string cookie = cookie_of(set_up(inside));
  EXPECT_EQ(inside.request("GET", "/api/v1/me", cookie).status, 200);
  std::vector<std::unique_ptr<TlsClient>> strangers;
  for (int i = 0; i < 4; ++i) {
    strangers.push_back(std::make_unique<TlsClient>(port_));
    EXPECT_TRUE(strangers.back()->handshake()) << i;
  }
  TlsClient one_more(port_);
  EXPECT_FALSE(one_more.handshake());
  EXPECT_EQ(inside.request("GET", "/api/v1/me", cookie).status, 200);
}

TEST_F(ConsoleServerTest, WhoIsInsideStaysWhenStrangersFillIt) {
  ConsoleOptions options;
  options.max_connections = 4;
  open(options);
  TlsClient inside(port_);
  const std::string cookie = cookie_of(set_up(inside));
  ASSERT_EQ(inside.request("GET", "/api/v1/me", cookie).status, 200);
  std::vector<std::unique_ptr<TlsClient>> strangers;
  for (int i = 0; i < 40; ++i) {
    strangers.push_back(std::make_unique<TlsClient>(port_));
    EXPECT_TRUE(strangers.back()->handshake()) << i;
  }
  EXPECT_EQ(inside.request("GET", "/api/v1/me", cookie).status, 200);
}

TEST_F(ConsoleServerTest, WhoComesAloneKeepsThePlaceThatACrowdWouldTake) {
  ConsoleOptions options;
  options.max_connections = 4;
  open(options);
  TlsClient alone(port_, 10, "127.0.0.2");
  std::vector<std::unique_ptr<TlsClient>> crowd;
  for (int i = 0; i < 40; ++i) {
    crowd.push_back(std::make_unique<TlsClient>(port_));
    EXPECT_TRUE(crowd.back()->handshake()) << i;
  }
  EXPECT_EQ(alone.request("GET", "/healthz").status, 200);
}

TEST_F(ConsoleServerTest, AnUploadedCertificateIsUsedAtOnceKeptAndCanBeTakenBack) {
  open();
  TlsClient client(port_);
  const std::string cookie = cookie_of(set_up(client));
  const std::string own = server_->fingerprint();
  const std::int64_t now_s = clock_.unix_us() / 1'000'000;
  const kit::SelfSigned other = kit::make_self_signed({"console.example", "192.0.2.7"}, now_s, 90).value();
  const kit::SelfSigned third = kit::make_self_signed({"third.example"}, now_s, 20).value();
  const kit::SelfSigned past = kit::make_self_signed({"past.example"}, now_s - 40 * 86'400, 30).value();
  const kit::SelfSigned future = kit::make_self_signed({"later.example"}, now_s + 86'400, 30).value();
  const auto upload = [&](const std::string& certificate, const std::string& key,
                          const std::string& more = "") {
    TlsClient fresh(port_);
    return fresh.request(
        "PUT", "/api/v1/certificate", cookie + more,
        boost::json::serialize(boost::json::object{{"certificate", certificate}, {"key", key}}));
  };
  const auto shown = [&] {
    TlsClient fresh(port_);
    return boost::json::parse(fresh.request("GET", "/api/v1/certificate", cookie).body);
  };
  const std::string first_tag(shown().at("etag").as_string());

  struct Row {
    std::string certificate, key, says;
  };
  const Row rows[] = {
      {"no PEM", other.key_pem, "certificate: expected a PEM certificate"},
      {other.certificate_pem, "no PEM", "key: expected an unencrypted PEM private key"},
      {other.certificate_pem, third.key_pem, "key: does not belong to the certificate"},
      {past.certificate_pem, past.key_pem,
       "certificate: expected one that is valid now, this one ended on 20"},
      {future.certificate_pem, future.key_pem,
       "certificate: expected one that is valid now, this one begins on 20"},
      {"", other.key_pem, "certificate: expected"},
  };
  for (const Row& row : rows) {
    const Answer refused = upload(row.certificate, row.key);
    EXPECT_EQ(refused.status, 422) << row.says;
    EXPECT_NE(refused.body.find(row.says), std::string::npos) << refused.body;
    EXPECT_EQ(server_->fingerprint(), own);
  }

  const Answer taken = upload(other.certificate_pem, other.key_pem);
  ASSERT_EQ(taken.status, 200) << taken.body;
  const auto facts = shown();
  EXPECT_EQ(facts.at("source"), "uploaded");
  EXPECT_EQ(facts.at("names"), boost::json::array({"console.example", "192.0.2.7"}));
  EXPECT_NE(facts.at("fingerprint_sha256").as_string(), own);
  EXPECT_EQ(mode_of(folder_.path + "/console-uploaded.pem"), 0600u);
  TlsClient sees(port_);
  EXPECT_EQ(sees.request("GET", "/healthz").status, 200);
  EXPECT_EQ(sees.fingerprint(), std::string(facts.at("fingerprint_sha256").as_string()));
  EXPECT_EQ(client.request("GET", "/api/v1/me", cookie).status, 200) << "an open connection stays";
  EXPECT_EQ(upload(third.certificate_pem, third.key_pem, "If-Match: \"" + first_tag + "\"\r\n").status, 412);

  server_.reset();
  open();
  EXPECT_EQ(server_->fingerprint(), std::string(facts.at("fingerprint_sha256").as_string()));
  // Both texts as one, as some authorities send them; and one that ends soon is said.
  EXPECT_EQ(upload(third.certificate_pem + third.key_pem, third.certificate_pem + third.key_pem).status, 200);
  TlsClient again(port_);
  const Answer status = again.request("GET", "/api/v1/status", cookie);
  EXPECT_NE(status.body.find("The console's certificate ends on 20"), std::string::npos) << status.body;
  EXPECT_EQ(again.request("DELETE", "/api/v1/certificate", cookie).status, 200);
  EXPECT_EQ(server_->fingerprint(), own);
  EXPECT_EQ(again.request("DELETE", "/api/v1/certificate", cookie).status, 404);
  const std::string audit = read_file(folder_.path + "/audit.log", 1u << 20).value();
  EXPECT_NE(audit.find("\"certificate.upload\""), std::string::npos);
  EXPECT_NE(audit.find("\"certificate.remove\""), std::string::npos);
  EXPECT_EQ(audit.find("PRIVATE"), std::string::npos);
}

TEST_F(ConsoleServerTest, ADamagedUploadFallsBackAndACertificateThatEndsIsMadeAnewAndSaid) {
  const CertificatePlace place{"", "", folder_.path, {"localhost"}};
  const std::int64_t now_s = clock_.unix_us() / 1'000'000;
  ASSERT_TRUE(write_file(folder_.path + "/console-uploaded.pem", "half a certif"));
  const auto fallen = load_certificate(place, now_s).value();
  EXPECT_EQ(fallen.facts.source, "self_signed");
  EXPECT_NE(fallen.notice.find("console-uploaded.pem.damaged"), std::string::npos) << fallen.notice;
  EXPECT_EQ(read_file(folder_.path + "/console-uploaded.pem.damaged", 100).value(), "half a certif");

  const auto old = kit::make_self_signed({"localhost"}, now_s, 20).value();
  ASSERT_TRUE(write_file(folder_.path + "/console.crt", old.certificate_pem));
  ASSERT_TRUE(write_file(folder_.path + "/console.key", old.key_pem));
  open();
  TlsClient client(port_);
  (void)set_up(client);
  const std::string audit = read_file(folder_.path + "/audit.log", 1u << 20).value();
  EXPECT_NE(audit.find("\"certificate.made\""), std::string::npos) << audit;
  EXPECT_NE(
      audit.find("was about to end: a new one was made, its fingerprint is now " + server_->fingerprint()),
      std::string::npos)
      << audit;
}

TEST_F(ConsoleServerTest, BadFramingIsRefusedAndClosed) {
  open();
  struct Row {
    const char* name;
    const char* bytes;
    int status;
  };
  constexpr Row kRows[] = {
      {"two lengths",
       "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"too large a body", "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n",
       413},
  };
  for (const Row& row : kRows) {
    TlsClient client(port_);
    ASSERT_TRUE(client.send(row.bytes));
    EXPECT_EQ(client.read_answer().status, row.status) << row.name;
    EXPECT_FALSE(client.receive()) << row.name << ": the connection must end";
  }
}

TEST_F(ConsoleServerTest, PipelinedRequestsAreAnsweredInOrder) {
  open();
  TlsClient client(port_);
  ASSERT_TRUE(
      client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"
                  "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_EQ(client.read_answer().status, 200);
  EXPECT_EQ(client.read_answer().status, 404);
  ASSERT_TRUE(client.receive_until("\r\n\r\n"));
  EXPECT_EQ(client.buffer().rfind("HTTP/1.1 200", 0), 0u);
}

TEST_F(ConsoleServerTest, CommandsWorkBeforeAndWhileItRuns) {
  {
    auto answer =
        run_command(folder_.path, {{"command", "token.create"}, {"name", "before"}, {"scope", "admin"}});
    ASSERT_TRUE(answer) << answer.error().what;
  }
  auto lock = StateLock::take(folder_.path);
  ASSERT_TRUE(lock) << lock.error().what;
  open();
  EXPECT_EQ(mode_of(folder_.path + "/admin.sock"), 0600u);
  auto answer =
      run_command(folder_.path, {{"command", "token.create"}, {"name", "while"}, {"scope", "read"}});
  ASSERT_TRUE(answer) << answer.error().what;
  const std::string bearer = "Authorization: Bearer " + std::string(answer->at("token").as_string()) + "\r\n";
  TlsClient client(port_);
  const Answer me = client.request("GET", "/api/v1/me", bearer);
  EXPECT_EQ(me.status, 200) << me.body;
  EXPECT_EQ(client.request("GET", "/api/v1/tokens", bearer).status, 403);
  EXPECT_EQ(client.request("GET", "/metrics", bearer).status, 200);
  auto refused =
      run_command(folder_.path, {{"command", "token.create"}, {"name", "while"}, {"scope", "read"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "a token of that name exists");
  EXPECT_NE(refused.error().code, ErrorCode::kInvalid);
  auto user = run_command(
      folder_.path,
      {{"command", "user.add"}, {"username", "ops"}, {"role", "admin"}, {"password", "violet-otter-41"}});
  ASSERT_TRUE(user) << user.error().what;
  EXPECT_EQ(client.request("GET", "/api/v1/setup").body, R"({"needed":false,"open":false,"closes_ms":null})");
}

boost::json::object with_targets(const char* targets) {
  return {{"command", "settings.apply"},
          {"settings", {{"format", 1}, {"targets", boost::json::parse(targets)}}}};
}

// The exit status of a command rests on this: 2 for wrong input, with the daemon and without.
TEST_F(ConsoleServerTest, CommandsTellWrongInputFromFailure) {
  const boost::json::object rows[] = {
      {{"command", "token.create"}, {"name", "x"}, {"scope", "king"}},
      {{"command", "token.create"}, {"name", ""}, {"scope", "read"}},
      {{"command", "user.add"}, {"username", "a b"}, {"password", "violet-otter-41"}},
      {{"command", "user.add"}, {"username", "ops"}, {"password", "short"}},
      {{"command", "user.add"}, {"username", "ops"}, {"role", "boss"}, {"password", "violet-otter-41"}},
      {{"command", "settings.apply"}, {"settings", {{"sites", 5}}}},
      with_targets(R"([{"name":"a","transport":"udp","host":"h"}])"),
      with_targets(R"([{"id":"target-1","name":"a","transport":"udp","host":"169.254.169.254"}])"),
      with_targets(R"([{"id":"target-1","name":"a","transport":"tcp","host":"h",)"
                   R"("backups":[{"host":"224.0.0.1","port":1}]}])"),
      with_targets(R"([{"id":"target-1","name":"a","transport":"udp","host":"h"},)"
                   R"({"id":"target-2","name":"a","transport":"udp","host":"g"}])"),
  };
  const auto all_refused = [&] {
    for (const boost::json::object& row : rows) {
      auto refused = run_command(folder_.path, row);
      ASSERT_FALSE(refused) << row;
      EXPECT_EQ(refused.error().code, ErrorCode::kInvalid) << row << " " << refused.error().what;
    }
    auto failed = run_command(folder_.path, {{"command", "user.remove"}, {"username", "nobody"}});
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().code, ErrorCode::kInvalid) << failed.error().what;
  };
  all_refused();
  auto lock = StateLock::take(folder_.path);  // the daemon's, so that the commands go to it
  ASSERT_TRUE(lock) << lock.error().what;
  open();
  all_refused();
}

// As the API does: a target is judged when it changes, by the daemon or by what the command gives.
TEST_F(ConsoleServerTest, ApplyingSettingsJudgesCertificates) {
  const auto row = [](const char* host, const char* ca) {
    const std::string list = fmt::format(
        R"([{{"id":"target-1","name":"a","transport":"tls","host":"{}","tls":{{"ca":"{}"}}}}])", host, ca);
    return with_targets(list.c_str());
  };
  const auto check = [](const forward::TargetSettings& target) -> Result<void> {
    if (target.tls.ca != "file:/bad") return {};
    return fail(ErrorCode::kInvalid, "tls.ca: no certificate");
  };
  auto refused = run_command(folder_.path, row("h", "file:/bad"), check);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "targets[0].tls.ca: no certificate");
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(run_command(folder_.path, row("h", "file:/good"), check));
  // In use: it stays so, whatever became of its certificates.
  const auto never = [](const forward::TargetSettings&) -> Result<void> {
    return fail(ErrorCode::kInvalid, "tls.ca: expired");
  };
  EXPECT_TRUE(run_command(folder_.path, row("h", "file:/good"), never));
  EXPECT_FALSE(run_command(folder_.path, row("other", "file:/good"), never));
  auto lock = StateLock::take(folder_.path);
  ASSERT_TRUE(lock) << lock.error().what;
  open();
  refused = run_command(folder_.path, row("h", "file:/refused"), check);  // the daemon's word
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "targets[0].tls.ca: refused");
}

TEST_F(ConsoleServerTest, CertificateIsKeptAndItsKeyGuarded) {
  open();
  const std::string first = server_->fingerprint();
  EXPECT_EQ(first.size(), 95u);
  const auto names =
      load_certificate({"", "", folder_.path, {}}, clock_.unix_us() / 1'000'000).value().facts.names;
  for (const char* name : {"localhost", "127.0.0.1", "::1"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  EXPECT_EQ(mode_of(folder_.path + "/console.key"), 0600u);
  server_.reset();
  open();
  EXPECT_EQ(server_->fingerprint(), first);
}

TEST_F(ConsoleServerTest, ACertificateWithoutItsKeyIsPutAsideAndSaid) {
  open();
  const std::string first = server_->fingerprint();
  server_.reset();
  const std::string crt = folder_.path + "/console.crt";
  const std::string before = read_file(crt, 1u << 20).value();
  ASSERT_EQ(std::remove((folder_.path + "/console.key").c_str()), 0);
  const CertificatePlace place{"", "", folder_.path, {"localhost"}};
  const auto made = load_certificate(place, clock_.unix_us() / 1'000'000).value();
  EXPECT_TRUE(made.made);
  EXPECT_NE(made.facts.fingerprint_sha256, first);
  EXPECT_NE(made.notice.find("console.key is missing"), std::string::npos) << made.notice;
  EXPECT_NE(made.notice.find("console.crt.unpaired"), std::string::npos) << made.notice;
  EXPECT_EQ(read_file(crt + ".unpaired", 1u << 20).value(), before);
  EXPECT_EQ(load_certificate(place, clock_.unix_us() / 1'000'000).value().notice, "") << "said once";
}

// Whatever is damaged of the console's certificate files: a new pair is made, the old files are kept beside,
// and it is said; a configured pair that cannot be used leaves a self-signed one.
TEST_F(ConsoleServerTest, DamagedCertificateFilesStopNothing) {
  const std::int64_t now_s = clock_.unix_us() / 1'000'000;
  const std::string crt = folder_.path + "/console.crt", key = folder_.path + "/console.key";
  const CertificatePlace place{"", "", folder_.path, {"localhost"}};
  const auto first = load_certificate(place, now_s);
  ASSERT_TRUE(first) << first.error().what;
  const std::string sound_crt = read_file(crt, 1u << 20).value(),
                    sound_key = read_file(key, 1u << 20).value();
  const auto other = kit::make_self_signed({"other"}, now_s, 30).value();
  // The secret half of a P-256 key in PKCS #8 stands at bytes 36 to 67: another one, with the same public
  // half.
  std::string wrong_key = sound_key;
  {
    const std::size_t line = wrong_key.find('\n') + 1;
    wrong_key[line + 60] = wrong_key[line + 60] == 'A' ? 'B' : 'A';
  }
  struct Damage {
    const char* name;
    std::string crt, key;
  };
  const Damage damages[] = {{"empty certificate", "", sound_key},
                            {"empty key", sound_crt, ""},
                            {"both empty", "", ""},
                            {"zeroed certificate", std::string(sound_crt.size(), '\0'), sound_key},
                            {"cut key", sound_crt, sound_key.substr(0, sound_key.size() / 2)},
                            {"noise", "\x81\xfe noise", "\x01\x02"},
                            {"another's key", sound_crt, other.key_pem},
                            {"key whose secret half is wrong", sound_crt, wrong_key},
                            {"too large", std::string(1u << 20, 'a'), sound_key}};
  for (const Damage& damage : damages) {
    std::ofstream(crt, std::ios::trunc) << damage.crt;
    std::ofstream(key, std::ios::trunc) << damage.key;
    const auto made = load_certificate(place, now_s);
    ASSERT_TRUE(made) << damage.name << ": " << made.error().what;
    EXPECT_TRUE(made->made) << damage.name;
    EXPECT_NE(made->notice.find("console.crt.damaged"), std::string::npos)
        << damage.name << ": " << made->notice;
    EXPECT_EQ(read_file(key + ".damaged", 1u << 21).value(), damage.key) << damage.name;
    EXPECT_EQ(load_certificate(place, now_s)->facts.fingerprint_sha256, made->facts.fingerprint_sha256)
        << damage.name << ": kept";
  }
  // Not even files: a folder in the certificate's place.
  std::remove(crt.c_str());
  ASSERT_EQ(::mkdir(crt.c_str(), 0700), 0);
  EXPECT_TRUE(load_certificate(place, now_s));
  // A name that no certificate can have.
  test::TempFolder elsewhere;
  EXPECT_TRUE(load_certificate({"", "", elsewhere.path, {"a,b:c"}}, now_s));
  // The operator's own files.
  std::ofstream(folder_.path + "/own.crt") << sound_crt;
  std::ofstream(folder_.path + "/own.key") << wrong_key;
  ConsoleOptions options;
  options.certificate_file = folder_.path + "/own.crt";
  options.key_file = folder_.path + "/own.key";
  open(std::move(options));
  TlsClient client(port_);
  EXPECT_EQ(client.request("GET", "/healthz").status, 200);
  EXPECT_EQ(client.fingerprint(), server_->fingerprint());
  const CertificatePlace named{
      folder_.path + "/own.crt", folder_.path + "/own.key", folder_.path, {"localhost"}};
  const auto fallen = load_certificate(named, now_s);
  ASSERT_TRUE(fallen);
  EXPECT_TRUE(fallen->fallback);
  EXPECT_NE(fallen->notice.find("own.key: key: "), std::string::npos) << fallen->notice;
  EXPECT_FALSE(load_certificate(named, now_s, false)) << "a reload keeps the one before";
}

TEST_F(ConsoleServerTest, TakenPortIsNamed) {
  open();
  ConsoleOptions options;
  options.listen = server_->local();
  test::TempFolder other;
  options.state_dir = other.path;
  auto second = ConsoleServer::open(
      options, {clock_, random_, *ring_, delivery_, {}, nullptr, nullptr, nullptr, nullptr});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find(std::to_string(port_)), std::string::npos) << second.error().what;
}

}  // namespace
}  // namespace wafd::console
