#include "ingest/io/ingest.h"

#include <ctime>
#include <filesystem>
#include <future>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ingest/io/kit/tls.h"
#include "tests/ingest/io/client_support.h"
#include "tests/ingest/t1k_exchanges.h"

namespace wafd::ingest {
namespace {

const std::string kAttack = section(0xc1, "GET /?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n");
const std::string kClean = section(0xc1, "GET /?q=1 HTTP/1.1\r\nHost: a\r\n\r\n");
const std::string kPass = t1k::from_hex("c1010000002e");

std::string temporary_folder() {
  std::string pattern = ::testing::TempDir() + "wafd-ingest-XXXXXX";
  return ::mkdtemp(pattern.data());
}

TEST(Ingest, T1kOverTcpAndUnixSocket) {
  const auto folder = temporary_folder();
  IngestOptions options;
  options.t1k_unix_socket = folder + "/t1k.sock";
  Running running(options);
  for (const auto& where : {running.t1k(), "unix:" + options.t1k_unix_socket}) {
    Client client(where);
    ASSERT_TRUE(client.connected) << where;
    client.send(t1k::kPassRequest);
    EXPECT_EQ(client.receive(6), kPass);
    for (const char byte : t1k::kBlockRequest) client.send({&byte, 1});
    const auto answer = client.receive(70);
    ASSERT_EQ(answer.size(), 70u);
    const auto id = EventId::parse(answer.substr(answer.size() - 36, 32));
    ASSERT_TRUE(id);
    EXPECT_EQ(answer, t1k::block_answer(*id));
    client.send(t1k::from_hex("c000000000"));
    EXPECT_EQ(client.receive(5), t1k::from_hex("c000000000"));
  }
  const auto counters = running.counters();
  EXPECT_EQ(counters.t1k.requests, 4u);
  EXPECT_EQ(counters.t1k.heartbeats, 2u);
  EXPECT_EQ(counters.judge.denied, 2u);
  EXPECT_EQ(counters.listeners[0].accepted, 1u);
  EXPECT_EQ(counters.listeners[1].accepted, 1u);
  EXPECT_GT(counters.listeners[0].last_request_ms, 0);
  running.ingest->stop(1000);
  EXPECT_FALSE(std::filesystem::exists(options.t1k_unix_socket));
  std::filesystem::remove_all(folder);
}

// Heartbeats and health checks must not hide that a gateway has stopped sending requests.
TEST(Ingest, OnlyRequestsCountAsCalls) {
  Running running;
  Client heart(running.t1k());
  heart.send(t1k::from_hex("c000000000"));
  EXPECT_EQ(heart.receive(5), t1k::from_hex("c000000000"));
  for (const std::string path : {"/readyz", "/healthz", "/stat", "/nowhere"}) {
    Client probe(running.http());
    probe.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(probe.response().substr(0, 9), "HTTP/1.1 ");
  }
  auto counters = running.counters();
  for (const auto& listener : counters.listeners) EXPECT_EQ(listener.last_request_ms, 0);
  EXPECT_EQ(counters.http.requests(), 0u);
  Client check(running.http());
  check.send("GET /check/ HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(check.response().substr(0, 12), "HTTP/1.1 200");
  counters = running.counters();
  EXPECT_GT(counters.listeners[static_cast<std::size_t>(IngestListener::kHttp)].last_request_ms, 0);
  EXPECT_EQ(counters.listeners[static_cast<std::size_t>(IngestListener::kT1k)].last_request_ms, 0);
}

TEST(Ingest, HitsOfEveryWorkerAreTakenOnce) {
  Running running;
  constexpr std::uint64_t kConnections = 8;
  for (std::uint64_t i = 0; i < kConnections; ++i) {
    Client client(running.t1k());
    client.send(kAttack);
    EXPECT_FALSE(client.receive(6).empty());
  }
  ASSERT_TRUE(running.until([](const IngestCounters& c) { return c.judge.denied == kConnections; }));
  const auto take = [&] {
    std::promise<detect::UsageCounters> promise;
    auto future = promise.get_future();
    running.ingest->take_hits([&](std::vector<detect::UsageCounters> parts) {
      detect::UsageCounters sum;
      for (const detect::UsageCounters& part : parts) sum.add(part);
      promise.set_value(std::move(sum));
    });
    return future.get();
  };
  const detect::UsageCounters hits = take();
  EXPECT_EQ(hits.rules.begin()->second.count, kConnections);
  EXPECT_EQ(hits.unknown.hosts().front().name, "a");
  EXPECT_EQ(hits.unknown.hosts().front().count, kConnections);
  EXPECT_TRUE(take().rules.empty());
  running.ingest->stop(1000);
  EXPECT_TRUE(take().rules.empty());  // at once, on this thread
}

TEST(Ingest, BodyOfSeveralMegabytesIsDrainedAndAnswered) {
  IngestOptions options;
  options.max_body_bytes = 1000;
  Running running(options);
  Client client(running.t1k());
  client.send(section(0x41, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n"));
  client.send(section(0x02, std::string(8000000, 'x')));
  client.send(section(0xa0, "Proto:2\n"));
  EXPECT_EQ(client.receive(70)[5], '?') << "what was cut is blocked";
  client.send(kClean);
  EXPECT_EQ(client.receive(6), kPass);
  EXPECT_EQ(running.counters().t1k.bodies_cut, 1u);
}

TEST(Ingest, MalformedClosesThatConnectionOnly) {
  Running running;
  Client good(running.t1k()), bad(running.t1k());
  good.send(kClean);
  EXPECT_EQ(good.receive(6), kPass);
  bad.send(kClean + std::string("\x01garbage"));
  EXPECT_EQ(bad.receive(100), kPass);
  EXPECT_TRUE(bad.closed());
  good.send(kClean);
  EXPECT_EQ(good.receive(6), kPass);
  EXPECT_EQ(running.counters().t1k.malformed[0], 1u);
  const std::lock_guard lock(running.log_mutex);
  ASSERT_EQ(running.lines.size(), 1u);
  EXPECT_EQ(running.lines[0], "t1k: closed a connection of 127.0.0.1: no_first");
}

TEST(Ingest, HttpCheckMirrorAndRecords) {
  Running running;
  Client client(running.http());
  client.send("GET /check/?q=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.response().substr(0, 15), "HTTP/1.1 200 OK");
  client.send("GET /check/?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto denied = client.response();
  EXPECT_EQ(denied.substr(0, 12), "HTTP/1.1 403");
  EXPECT_NE(denied.find("\"success\":false"), std::string::npos);
  client.send("GET /mirror/?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.response().substr(0, 12), "HTTP/1.1 204");
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return c.judge.monitored == 1; }));
  // 5000 records over a chunked upload: more than may be pending, so the reading pauses and goes on.
  client.send("POST /v1/records HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  std::string chunk;
  for (int i = 0; i < 50; ++i)
    chunk += "{\"method\":\"POST\",\"uri\":\"/\",\"body\":\"" + std::string(2000, 'b') + "\"}\n";
  char size[16];
  std::snprintf(size, sizeof size, "%zx\r\n", chunk.size());
  for (int i = 0; i < 100; ++i) client.send(size + chunk + "\r\n");
  client.send("0\r\n\r\n");
  const auto answer = client.response();
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), "{\"accepted\":5000,\"refused\":0,\"errors\":[]}");
  EXPECT_EQ(running.counters().judge.requests, 5003u);
  EXPECT_EQ(running.sink.size(), 2u);
}

TEST(Ingest, HttpClientThatClosesItsSideGetsItsAnswer) {
  Running running;
  Client client(running.http());
  const std::string record = "{\"method\":\"GET\",\"uri\":\"/\"}\n";
  client.send("POST /v1/records HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(record.size()) +
              "\r\n\r\n" + record);
  client.shut();
  EXPECT_NE(client.response().find("\"accepted\":1"), std::string::npos);
  EXPECT_TRUE(client.closed());
}

TEST(Ingest, AllowListClosesOthers) {
  IngestOptions options;
  options.t1k_allow = {*Cidr::parse("127.0.0.1/32")};
  Running running(options);
  Client stranger(running.t1k(), "127.0.0.2");
  EXPECT_TRUE(stranger.closed());
  Client known(running.t1k());
  known.send(kClean);
  EXPECT_EQ(known.receive(6), kPass);
  EXPECT_EQ(running.counters().listeners[0].not_allowed, 1u);
}

TEST(Ingest, ConnectionsAreBounded) {
  IngestOptions options;
  options.workers = 1;
  options.max_connections = 4;  // two listeners
  Running running(options);
  Client a(running.t1k()), b(running.t1k());
  a.send(kClean);
  b.send(kClean);
  EXPECT_EQ(a.receive(6), kPass);
  EXPECT_EQ(b.receive(6), kPass);
  Client c(running.t1k());
  EXPECT_TRUE(c.closed());
  EXPECT_EQ(running.counters().listeners[0].too_many, 1u);
}

// A listener's share is the daemon's, not each worker's, whatever worker a connection lands on; and it is
// that listener's alone.
TEST(Ingest, ConnectionsAreBoundedOverAllWorkers) {
  IngestOptions options;
  options.workers = 4;
  options.max_connections = 6;
  Running running(options);
  std::vector<std::unique_ptr<Client>> held;
  for (int i = 0; i < 3; ++i) {
    held.push_back(std::make_unique<Client>(running.t1k()));
    held.back()->send(kClean);
    EXPECT_EQ(held.back()->receive(6), kPass);
  }
  // Asked on every worker's loop, so each has ended the turn in which it answered.
  EXPECT_EQ(running.counters().listeners[0].open, 3u);
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(Client(running.t1k()).closed());
  EXPECT_EQ(running.counters().listeners[0].too_many, 8u);
  Client other(running.http());
  other.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(other.response().substr(0, 12), "HTTP/1.1 200");

  // One that leaves makes room for one more.
  held.pop_back();
  std::string answer;
  for (int i = 0; i < 500 && answer != kPass; ++i) {
    Client next(running.t1k());
    next.send(kClean);
    answer = next.receive(6);
  }
  EXPECT_EQ(answer, kPass);
}

// Half-sent requests on one listener take no place of another's, nor keep out who asks for health on their
// own.
TEST(Ingest, HalfSentRequestsStarveNobody) {
  for (const bool over_http : {true, false}) {
    IngestOptions options;
    options.workers = 2;
    options.max_connections = 100;
    Running running(options);
    std::vector<std::unique_ptr<Client>> slow;
    for (int i = 0; i < 500; ++i) {
      slow.push_back(std::make_unique<Client>(over_http ? running.http() : running.t1k()));
      slow.back()->send(over_http ? "POST /check/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf"
                                  : section(0x41, "GET / HTTP/1.1\r\n"));
    }
    Client t1k(running.t1k());
    t1k.send(kAttack);
    EXPECT_EQ(t1k.receive(70).size(), 70u) << over_http;
    Client http(running.http());
    http.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(http.response().substr(0, 12), "HTTP/1.1 200") << over_http;
    const auto which = static_cast<std::size_t>(over_http ? IngestListener::kHttp : IngestListener::kT1k);
    const auto counters = running.counters();
    EXPECT_GE(counters.listeners[which].made_room, 400u);
    EXPECT_LE(counters.listeners[which].open, 51u);
  }
}

// A head and a body have their time, each of its own; who streams records has it for each line.
TEST(Ingest, ARequestHasItsTimeToArrive) {
  IngestOptions options;
  options.head_timeout_ms = 300;
  options.body_timeout_ms = 600;
  Running running(options);
  Client head(running.http()), body(running.http()), t1k(running.t1k()), t1k_body(running.t1k());
  head.send("GET /check/ HTTP/1.1\r\nHo");
  body.send("POST /check/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf");
  t1k.send(section(0x41, "GET / HTTP/1.1\r\n").substr(0, 9));
  t1k_body.send(section(0x41, "POST / HTTP/1.1\r\n\r\n") + section(0x02, "12345").substr(0, 7));
  EXPECT_EQ(head.response().substr(0, 12), "HTTP/1.1 408");
  EXPECT_TRUE(head.closed());
  EXPECT_EQ(body.response().substr(0, 12), "HTTP/1.1 408");
  EXPECT_TRUE(t1k.closed());
  EXPECT_TRUE(t1k_body.closed());
  const auto counters = running.counters();
  EXPECT_EQ(counters.listeners[static_cast<std::size_t>(IngestListener::kHttp)].too_slow, 2u);
  EXPECT_EQ(counters.listeners[static_cast<std::size_t>(IngestListener::kT1k)].too_slow, 2u);

  // Longer than any deadline in all, but never without a line for that long.
  Client records(running.http());
  records.send("POST /v1/records HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string line = R"({"method":"GET","uri":"/?q=1"})"
                           "\n";
  for (int i = 0; i < 10; ++i) {
    records.send(fmt::format("{:x}\r\n{}\r\n", line.size(), line));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  records.send("0\r\n\r\n");
  EXPECT_NE(records.response().find("\"accepted\":10"), std::string::npos);
  // A connection between two requests is not slow.
  Client idle(running.t1k());
  idle.send(kClean);
  EXPECT_EQ(idle.receive(6), kPass);
  std::this_thread::sleep_for(std::chrono::milliseconds(900));
  idle.send(kClean);
  EXPECT_EQ(idle.receive(6), kPass);
}

// A TLS handshake has the time of a head, however often a byte of it comes.
TEST(Ingest, ATlsHandshakeHasItsTimeToArrive) {
  const auto own = kit::make_self_signed({"127.0.0.1"}, std::time(nullptr), 30).value();
  IngestOptions options;
  options.head_timeout_ms = 300;
  options.t1k_tls.certificate_pem = own.certificate_pem;
  options.t1k_tls.key_pem = own.key_pem;
  Running running(options);
  Client silent(running.t1k()), half(running.t1k());
  half.send("\x16\x03\x01");
  EXPECT_TRUE(silent.closed());
  EXPECT_TRUE(half.closed());
  const auto counters = running.counters();
  EXPECT_EQ(counters.listeners[static_cast<std::size_t>(IngestListener::kT1k)].too_slow, 2u);
}

TEST(Ingest, ListenerThatDoesNotEnforcePasses) {
  IngestOptions options;
  options.t1k_enforcing = false;
  Running running(options);
  Client client(running.t1k());
  client.send(kAttack);
  EXPECT_EQ(client.receive(6), kPass);
  ASSERT_EQ(running.sink.size(), 1u);
  EXPECT_EQ(running.sink.records[0].action, Action::kMonitor);
  Client http(running.http());
  http.send("GET /check/?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(http.response().substr(0, 12), "HTTP/1.1 403");
}

// Takes its time over each request, so that what arrives meanwhile grows old.
class SlowEngine final : public detect::Engine {
 public:
  std::unique_ptr<detect::Scratch> make_scratch() const override { return words_.make_scratch(); }
  void inspect(const Request& request, const Effort& effort, detect::Scratch& scratch,
               Verdict& out) const override {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
    words_.inspect(request, {effort.head_only, {}}, scratch, out);
  }
  std::span<const Rule* const> rules() const noexcept override { return words_.rules(); }
  std::size_t database_bytes() const noexcept override { return 0; }

 private:
  WordEngine words_;
};

TEST(Ingest, OverloadAnswersEverythingByPolicy) {
  IngestOptions options;
  options.workers = 1;
  options.budget_ms = 50;
  Running running(options, std::make_shared<SlowEngine>());
  // Forty requests that come in one turn need 800 ms; from the fourth or so on they are too old for their
  // bodies.
  std::string all;
  for (int i = 0; i < 40; ++i)
    all += section(0x41, "POST / HTTP/1.1\r\nHost: a\r\n\r\n") + section(0x82, "ATTACK");
  Client client(running.t1k());
  client.send(all);
  std::size_t answers = 0;
  while (answers < 40) {
    const std::string answer = client.receive(6);
    ASSERT_EQ(answer.size(), 6u);
    if (answer[5] == '?') client.receive(64);
    ++answers;
  }
  const auto counters = running.counters();
  EXPECT_EQ(counters.t1k.requests, 40u);
  EXPECT_EQ(counters.judge.requests, 40u);
  EXPECT_GT(counters.judge.overload_passed, 0u);
  EXPECT_EQ(counters.judge.judged_by_head, counters.judge.overload_passed);
  EXPECT_EQ(counters.judge.denied, 40u - counters.judge.overload_passed);
  EXPECT_GT(counters.judge.denied, 0u);
}

TEST(Ingest, SnapshotsAreSwappedUnderLoad) {
  Running running;
  std::atomic<bool> stop{false};
  std::atomic<int> answered{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&] {
      Client client(running.t1k());
      while (!stop) {
        client.send(kAttack);
        const auto answer = client.receive(70);
        if (answer.size() != 70 || answer[5] != '?') {
          ADD_FAILURE() << "an attack was not blocked";
          return;
        }
        ++answered;
      }
    });
  }
  std::weak_ptr<const detect::Engine> first_swapped;
  for (int i = 0; i < 20; ++i) {
    auto engine = std::make_shared<const WordEngine>();
    if (i == 0) first_swapped = engine;
    running.ingest->swap_engine(std::move(engine));
    running.ingest->swap_policy(policy_of());
  }
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return c.snapshots == 20; }));
  const auto so_far = answered.load();
  EXPECT_TRUE(running.until(
      [&](const IngestCounters&) { return answered > so_far + 10 && first_swapped.expired(); }));
  stop = true;
  for (auto& client : clients) client.join();
}

TEST(Ingest, StopFinishesAnswers) {
  Running running;
  Client begun(running.t1k()), idle(running.t1k());
  idle.send(kClean);
  EXPECT_EQ(idle.receive(6), kPass);
  // The answer shows that the beginning of the second message was read too: both came in one piece.
  begun.send(kClean + kAttack.substr(0, 10));
  EXPECT_EQ(begun.receive(6), kPass);
  std::thread stopper([&] { running.ingest->stop(10000); });
  EXPECT_TRUE(idle.closed());
  Client late(running.t1k());
  EXPECT_FALSE(late.connected);
  begun.send(kAttack.substr(10));
  const auto answer = begun.receive(70);
  EXPECT_EQ(answer.size(), 70u);
  EXPECT_TRUE(begun.closed());
  stopper.join();
  EXPECT_EQ(running.counters().judge.denied, 1u) << "counters are there after the stop";
}

TEST(Ingest, StopDoesNotWaitForEver) {
  Running running;
  Client begun(running.t1k());
  begun.send(kClean + kAttack.substr(0, 10));
  EXPECT_EQ(begun.receive(6), kPass);
  running.ingest->stop(50);
  running.ingest.reset();
  EXPECT_TRUE(begun.closed());
}

TEST(Ingest, IdleConnectionsAreClosed) {
  IngestOptions options;
  options.t1k_idle_timeout_ms = 30;
  options.http_idle_timeout_ms = 30;
  Running running(options);
  Client t1k(running.t1k()), http(running.http());
  EXPECT_TRUE(t1k.closed());
  EXPECT_TRUE(http.closed());
}

TEST(Ingest, OpenSaysWhatIsWrong) {
  kit::SystemClock clock;
  kit::SystemRandom random;
  MemorySink sink;
  const auto open = [&](const IngestOptions& options) {
    const auto opened = Ingest::open(options, {clock, random, sink, "n", {}, {}, {}, {}},
                                     std::make_shared<WordEngine>(), policy_of());
    return opened ? std::string("ok") : opened.error().what;
  };
  IngestOptions options;
  options.t1k_listen = *Endpoint::parse("0.0.0.0:0");
  options.http_listen.reset();
  EXPECT_EQ(open(options),
            "ingest.t1k.allow: expected at least one prefix, because ingest.t1k.listen is 0.0.0.0:0, which "
            "is not on loopback");
  options.t1k_allow = {*Cidr::parse("10.0.0.0/8")};
  EXPECT_EQ(open(options), "ok");
  options.http_check_dialect = CheckDialect::kCrowdsec;
  EXPECT_EQ(open(options), "ingest.http.crowdsec_api_keys: expected at least one key for this check_dialect");
  Running running;
  IngestOptions taken;
  taken.http_listen.reset();
  taken.t1k_listen = *Endpoint::parse(running.t1k());
  EXPECT_EQ(open(taken), "listen on " + running.t1k() + ": address already in use");
}

}  // namespace
}  // namespace wafd::ingest
