// Whose turn it is, over real sockets: an engine that stops at a gate, and the order in which it is
// asked.
#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ingest/io/ingest.h"
#include "tests/ingest/io/client_support.h"
#include "tests/ingest/t1k_exchanges.h"

namespace wafd::ingest {
namespace {

const std::string kPass = t1k::from_hex("c1010000002e");

// Judges a request whose path is /gate when the gate is opened, and remembers the paths in the order of
// judging.
class GateEngine final : public detect::Engine {
 public:
  using Engine::inspect;
  std::unique_ptr<detect::Scratch> make_scratch() const override { return words_.make_scratch(); }
  void inspect(const Request& request, const Effort& effort, detect::Scratch& scratch,
               Verdict& out) const override {
    const std::size_t begin = request.head.find(' ') + 1;
    const std::string path(request.head.substr(begin, request.head.find(' ', begin) - begin));
    std::unique_lock lock(mutex_);
    order_.push_back(path);
    changed_.notify_all();
    if (path == "/gate") changed_.wait(lock, [this] { return open_; });
    lock.unlock();
    words_.inspect(request, effort, scratch, out);
  }
  std::span<const Rule* const> rules() const noexcept override { return words_.rules(); }
  std::size_t database_bytes() const noexcept override { return 0; }

  void wait_for(std::size_t judged) const {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return order_.size() >= judged; }));
  }
  void open() const {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  std::vector<std::string> order() const {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  WordEngine words_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<std::string> order_;
  mutable bool open_ = false;
};

std::string ask(const std::string& line, const std::string& source, std::size_t body) {
  const std::string head = section(0x41, line + " HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string extra = section(0x83, "RemoteAddr:" + source + "\n");
  return body == 0 ? head + extra : head + section(0x02, std::string(body, 'x')) + extra;
}

struct Behind {
  const char* line;
  const char* source;
  std::size_t body;
};

IngestOptions of_one_worker(IngestOptions options) {
  options.workers = 1;
  options.budget_ms = 60'000;
  return options;
}

// One worker, and a request at the gate that holds it up.
struct HeldWorker {
  explicit HeldWorker(IngestOptions options = {})
      : running(of_one_worker(std::move(options)), engine), gate(running.t1k()) {
    gate.send(ask("POST /gate", "192.0.2.1", 20'000));
    engine->wait_for(1);
  }

  std::shared_ptr<GateEngine> engine = std::make_shared<GateEngine>();
  Running running;
  Client gate;
};

// The order in which requests are judged behind one that holds up the only worker.
std::vector<std::string> order_of(const std::vector<Behind>& requests, IngestOptions options = {}) {
  const auto engine = std::make_shared<GateEngine>();
  Running running(of_one_worker(std::move(options)), engine);
  Client gate(running.t1k());
  std::vector<std::unique_ptr<Client>> clients;
  // All connections are there before the gate closes.
  for (const Behind& one : requests) {
    clients.push_back(std::make_unique<Client>(running.t1k()));
    clients.back()->send(section(0xc0, ""));
    EXPECT_EQ(clients.back()->receive(5).size(), 5u) << one.line;
  }
  gate.send(ask("POST /gate", "192.0.2.1", 20'000));
  engine->wait_for(1);
  for (std::size_t i = 0; i < requests.size(); ++i)
    clients[i]->send(ask(requests[i].line, requests[i].source, requests[i].body));
  engine->open();
  for (const auto& client : clients) EXPECT_EQ(client->receive(6), kPass);
  EXPECT_EQ(gate.receive(6), kPass);
  EXPECT_EQ(running.counters().waiting, 0u);
  auto order = engine->order();
  order.erase(order.begin());
  return order;
}

TEST(Fairness, RequestsWithoutABodyNeverWaitBehindBodies) {
  std::vector<Behind> requests(12, Behind{"POST /flood", "192.0.2.1", 20'000});
  requests.push_back({"GET /bare", "192.0.2.9", 0});
  requests.push_back({"GET /of-the-flood", "192.0.2.1", 0});
  const auto order = order_of(requests);
  ASSERT_EQ(order.size(), 14u);
  EXPECT_EQ(order[0], "/bare");
  EXPECT_EQ(order[1], "/of-the-flood");
}

TEST(Fairness, OneClientsBodiesHoldUpNoOtherClients) {
  std::vector<Behind> requests(12, Behind{"POST /flood", "192.0.2.1", 20'000});
  requests.push_back({"POST /small", "192.0.2.9", 200});
  requests.push_back({"POST /big", "192.0.2.8", 20'000});
  const auto order = order_of(requests);
  ASSERT_EQ(order.size(), 14u);
  EXPECT_EQ(order[0], "/small");
  EXPECT_LE(std::find(order.begin(), order.end(), "/big") - order.begin(), 2);
}

TEST(Fairness, ClientsThatAreNotToldApartShareTheirConnection) {
  std::vector<Behind> requests(6, Behind{"POST /flood", "192.0.2.1", 20'000});
  requests.push_back({"POST /other", "", 20'000});
  const auto order = order_of(requests);
  EXPECT_LE(std::find(order.begin(), order.end(), "/other") - order.begin(), 1);
}

// Nor does one that has to wait: its head is large, or its client has had more than its share.
TEST(Fairness, NoHeadWaitsForTheBodyThatIsBeingJudged) {
  HeldWorker held;
  auto& [engine, running, gate] = held;
  Client client(running.t1k());
  for (int i = 0; i < 3; ++i) {
    client.send(ask("GET /" + std::string(20'000, 'b'), "192.0.2.1", 0));
    EXPECT_EQ(client.receive(6), kPass) << "while the gate is closed";
  }
  engine->open();
  EXPECT_EQ(gate.receive(6), kPass);
}

TEST(Fairness, WhatIsPipelinedBehindABodyIsAnsweredInItsOrder) {
  IngestOptions options;
  options.workers = 1;
  Running running(options);
  Client client(running.t1k());
  const std::string attack = ask("POST /?q=ATTACK", "192.0.2.1", 100'000);
  const std::string clean = ask("GET /", "192.0.2.1", 0);
  std::string all;
  for (int i = 0; i < 10; ++i) all += attack + clean;
  client.send(all);
  for (int i = 0; i < 10; ++i) {
    const std::string answer = client.receive(70 + 6);
    ASSERT_EQ(answer.size(), 76u);
    EXPECT_EQ(answer[5], '?');
    EXPECT_EQ(answer.substr(70), kPass);
  }
  EXPECT_EQ(running.counters().judge.denied, 10u);
}

TEST(Fairness, BeyondTheBoundTheHeaviestClientIsJudgedByItsHeads) {
  IngestOptions options;
  options.max_queued_bytes = 100'000;
  std::vector<Behind> requests(12, Behind{"POST /flood", "192.0.2.1", 20'000});
  requests.push_back({"POST /other", "192.0.2.9", 18'000});
  HeldWorker held(options);
  auto& [engine, running, gate] = held;
  std::vector<std::unique_ptr<Client>> clients;
  for (const Behind& one : requests) {
    clients.push_back(std::make_unique<Client>(running.t1k()));
    clients.back()->send(ask(one.line, one.source, one.body));
  }
  engine->open();
  for (const auto& client : clients) EXPECT_EQ(client->receive(6), kPass);
  const auto counters = running.counters();
  EXPECT_EQ(counters.judge.requests, 14u);
  EXPECT_LE(counters.judge.judged_by_head, 12u);
  EXPECT_EQ(counters.judge.judged_by_head, counters.judge.overload_passed);
}

// A connection whose first request waits for its turn is owed an answer: it makes no room for a new one.
TEST(Fairness, WhoIsOwedAnAnswerKeepsItsPlace) {
  for (const bool over_http : {false, true}) {
    IngestOptions options;
    options.workers = 1;
    options.budget_ms = 60'000;
    options.max_connections = 4;  // two for each listener
    const auto engine = std::make_shared<GateEngine>();
    Running running(options, engine);
    const auto which = static_cast<std::size_t>(over_http ? IngestListener::kHttp : IngestListener::kT1k);
    const auto post = [&](const std::string& path) {
      return over_http ? "POST /check" + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" +
                             std::string(20'000, 'x')
                       : ask("POST " + path, "192.0.2.1", 20'000);
    };
    const auto where = over_http ? running.http() : running.t1k();
    Client gate(where), waiting(where);
    gate.send(post("/gate"));
    engine->wait_for(1);
    waiting.send(post("/ATTACK"));
    ASSERT_TRUE(running.until([](const IngestCounters& c) { return c.waiting == 2; }));
    Client third(where);
    EXPECT_TRUE(third.closed()) << over_http;
    EXPECT_EQ(running.counters().listeners[which].too_many, 1u) << over_http;
    EXPECT_EQ(running.counters().listeners[which].made_room, 0u) << over_http;
    engine->open();
    EXPECT_EQ(gate.receive(6).size(), 6u) << over_http;
    EXPECT_EQ(waiting.receive(70).size(), 70u) << over_http;
  }
}

// However long the second thread is busy, what nobody waits for is judged too.
TEST(Fairness, RecordsComeForwardWhileABodyIsBeingJudged) {
  HeldWorker held;
  auto& [engine, running, gate] = held;
  Client records(running.http());
  const std::string lines = R"({"method":"GET","uri":"/?q=1"})"
                            "\n";
  records.send("POST /v1/records HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(lines.size()) +
               "\r\n\r\n" + lines);
  EXPECT_NE(records.response().find("\"accepted\":1"), std::string::npos) << "while the gate is closed";
  engine->open();
  EXPECT_EQ(gate.receive(6), kPass);
}

// A mirrored body is judged where nobody waits for it.
TEST(Fairness, NoRequestWithoutABodyWaitsForAMirroredBody) {
  IngestOptions options;
  options.workers = 1;
  options.budget_ms = 60'000;
  const auto engine = std::make_shared<GateEngine>();
  Running running(options, engine);
  Client mirror(running.http());
  mirror.send("POST /mirror/gate HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" +
              std::string(20'000, 'x'));
  EXPECT_NE(mirror.response().find(" 204 "), std::string::npos);
  engine->wait_for(1);
  Client client(running.t1k());
  for (int i = 0; i < 3; ++i) {
    client.send(ask("GET /", "192.0.2.1", 0));
    EXPECT_EQ(client.receive(6), kPass) << "while the gate is closed";
    client.send(ask("GET /" + std::string(20'000, 'b'), "192.0.2.1", 0));
    EXPECT_EQ(client.receive(6), kPass) << "while the gate is closed";
  }
  engine->open();
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return c.judge.requests == 7; }));
}

// At the end of the stop the heads of what waits are judged, and what is left then is counted.
TEST(Fairness, WhatWaitsAtTheEndOfTheStopIsJudgedByItsHead) {
  IngestOptions options;
  options.workers = 1;
  options.budget_ms = 60'000;
  const auto engine = std::make_shared<GateEngine>();
  Running running(options, engine);
  Client gate(running.t1k()), waiting(running.t1k()), mirror(running.http());
  gate.send(ask("POST /gate", "192.0.2.1", 20'000));
  engine->wait_for(1);
  waiting.send(ask("POST /ATTACK", "192.0.2.1", 20'000));
  mirror.send("POST /mirror/later HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" +
              std::string(20'000, 'x'));
  EXPECT_NE(mirror.response().find(" 204 "), std::string::npos);
  ASSERT_TRUE(running.until([](const IngestCounters& c) { return c.waiting == 2; }));
  std::thread stop([&] { running.ingest->stop(100); });
  EXPECT_EQ(waiting.receive(70).size(), 70u) << "while the gate is closed";
  engine->open();
  stop.join();
  const auto counters = running.counters();
  EXPECT_EQ(counters.judge.requests, 2u);
  EXPECT_EQ(counters.judge.judged_by_head, 1u);
  EXPECT_EQ(counters.waiting, 0u) << "nothing was begun behind the end";
  EXPECT_EQ(counters.given_up, 1u) << "the mirrored one";
}

TEST(Fairness, WhatIsBeingJudgedIsAnsweredBeforeTheEnd) {
  IngestOptions options;
  options.workers = 1;
  options.budget_ms = 60'000;
  const auto engine = std::make_shared<GateEngine>();
  Running running(options, engine);
  Client gate(running.t1k());
  Client waiting(running.t1k());
  gate.send(ask("POST /gate", "192.0.2.1", 20'000));
  engine->wait_for(1);
  waiting.send(ask("POST /ATTACK", "192.0.2.1", 20'000));
  ASSERT_TRUE(running.until([](const IngestCounters& c) { return c.waiting == 2; }));
  std::thread stop([&] { running.ingest->stop(10'000); });
  engine->open();
  EXPECT_EQ(gate.receive(6), kPass);
  EXPECT_EQ(waiting.receive(70).size(), 70u);
  stop.join();
  EXPECT_EQ(running.counters().judge.requests, 2u);
}

TEST(Fairness, SnapshotsChangeBehindWhatIsBeingJudged) {
  IngestOptions options;
  options.workers = 1;
  options.budget_ms = 60'000;
  auto engine = std::make_shared<GateEngine>();
  const std::weak_ptr<const detect::Engine> old = engine;
  Running running(options, engine);
  Client gate(running.t1k());
  gate.send(ask("POST /gate", "192.0.2.1", 20'000));
  engine->wait_for(1);
  running.ingest->swap_engine(std::make_shared<WordEngine>());
  running.ingest->swap_policy(policy_of());
  EXPECT_EQ(running.counters().snapshots, 0u);
  Client other(running.t1k());
  other.send(ask("GET /ATTACK", "192.0.2.2", 0));
  EXPECT_EQ(other.receive(70).size(), 70u) << "by the new one";
  EXPECT_EQ(engine->order().size(), 1u);
  engine->open();
  EXPECT_EQ(gate.receive(6), kPass);
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return c.snapshots == 1; }));
  other.send(ask("POST /ATTACK", "192.0.2.2", 20'000));
  EXPECT_EQ(other.receive(70).size(), 70u);
  EXPECT_EQ(engine->order().size(), 1u);
  engine.reset();
  EXPECT_TRUE(running.until([&](const IngestCounters&) { return old.expired(); }));
}

TEST(Fairness, WhoeverGoesMeanwhileGetsNoAnswerAndHarmsNobody) {
  IngestOptions options;
  options.workers = 1;
  options.budget_ms = 60'000;
  options.t1k_idle_timeout_ms = 200;  // a connection that waits is not read, so only its idle time ends it
  const auto engine = std::make_shared<GateEngine>();
  Running running(options, engine);
  {
    Client gate(running.t1k());
    Client behind(running.t1k());
    gate.send(ask("POST /gate", "192.0.2.1", 20'000));
    engine->wait_for(1);
    behind.send(ask("POST /behind", "192.0.2.1", 20'000));
    ASSERT_TRUE(running.until([](const IngestCounters& c) { return c.waiting == 2; }));
    ASSERT_TRUE(running.until([](const IngestCounters& c) { return c.listeners[0].open == 0; }));
  }
  engine->open();
  ASSERT_TRUE(running.until([](const IngestCounters& c) { return c.judge.requests == 1 && c.waiting == 0; }));
  EXPECT_EQ(running.counters().given_up, 1u);
  Client client(running.t1k());
  client.send(ask("POST /ATTACK", "192.0.2.1", 20'000));
  EXPECT_EQ(client.receive(70).size(), 70u);
  EXPECT_EQ(engine->order(), (std::vector<std::string>{"/gate", "/ATTACK"}));
}

}  // namespace
}  // namespace wafd::ingest
