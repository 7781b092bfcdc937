// SPOP over real sockets.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/ingest/io/client_support.h"
#include "tests/ingest/spop_support.h"

namespace wafd::ingest {
namespace {

namespace test = spop::test;

IngestOptions with_spop() {
  IngestOptions options;
  options.spop_listen = Endpoint::parse("127.0.0.1:0").value();
  return options;
}
std::string address(const Running& running) { return running.ingest->address(IngestListener::kSpop); }
const ListenerCounters& spop_of(const IngestCounters& counters) {
  return counters.listeners[static_cast<std::size_t>(IngestListener::kSpop)];
}
// The next frame, as test::dump() says it.
std::string next(Client& client) {
  std::string out = client.receive(4);
  std::size_t size = 0;
  for (const char c : out) size = size << 8 | static_cast<unsigned char>(c);
  const auto lines = test::dump(out += client.receive(size));
  return lines.empty() ? std::string() : lines[0];
}
const std::string kHello = "hello version=2.0 max-frame-size=16380 capabilities=pipelining,fragmentation";

TEST(SpopListener, IsOffUnlessConfigured) {
  Running running;
  EXPECT_EQ(address(running), "");
}

TEST(SpopListener, AsksAndAnswers) {
  Running running(with_spop());
  Client client(address(running));
  for (const char byte : test::hello()) client.send({&byte, 1});
  EXPECT_EQ(next(client), kHello);
  EXPECT_EQ(spop_of(running.counters()).last_request_ms, 0) << "a HELLO is no request";
  client.send(test::notify(1, test::request("q=1")) + test::notify(2, test::request("q=ATTACK")));
  EXPECT_EQ(next(client), "ack 1/1 action=allow id=7F000001:1");
  EXPECT_TRUE(next(client).starts_with("ack 2/1 action=deny event_id="));
  client.send(test::frame(2, 1, 0, 0, test::text("status-code") + test::uint32(0)));
  EXPECT_EQ(next(client), "disconnect status-code=0 message=normal");
  EXPECT_TRUE(client.closed());
  const auto counters = running.counters();
  EXPECT_EQ(counters.spop.requests, 2u);
  EXPECT_EQ(counters.judge.denied, 1u);
  EXPECT_GT(spop_of(counters).last_request_ms, 0);
}

TEST(SpopListener, BigRequestsAreAnsweredWhenTheirTurnComes) {
  Running running(with_spop());
  Client client(address(running));
  client.send(test::hello(100'000));
  next(client);
  constexpr unsigned kAll = 3 * spop::kMaxWaiting;
  for (unsigned i = 0; i < kAll; ++i)
    client.send(test::notify(i, test::request("", "\r\n", std::string(20'000, 'x') + "ATTACK")));
  std::set<std::string> answered;
  for (unsigned i = 0; i < kAll; ++i) {
    const std::string line = next(client);
    EXPECT_NE(line.find("action=deny"), std::string::npos) << line;
    answered.insert(line.substr(0, line.find(" action")));
  }
  EXPECT_EQ(answered.size(), kAll);
}

TEST(SpopListener, HealthchecksAndGarbageEndTheirConnections) {
  Running running(with_spop());
  Client health(address(running));
  health.send(test::hello(16380, test::text("healthcheck") + test::boolean(true)));
  EXPECT_EQ(next(health), kHello);
  EXPECT_TRUE(health.closed());
  Client garbage(address(running));
  garbage.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(next(garbage), "disconnect status-code=3 message=frame is too big");
  EXPECT_TRUE(garbage.closed());
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return spop_of(c).open == 0; }));
  const auto counters = running.counters();
  EXPECT_EQ(counters.spop.healthchecks, 1u);
  EXPECT_EQ(counters.spop.malformed[static_cast<std::size_t>(spop::Malformed::kFrameTooBig)], 1u);
}

TEST(SpopListener, AllowListClosesOthersAndIsNeededBeyondLoopback) {
  auto options = with_spop();
  options.spop_allow = {*Cidr::parse("127.0.0.1/32")};
  Running running(options);
  Client stranger(address(running), "127.0.0.2");
  EXPECT_TRUE(stranger.closed());
  Client known(address(running));
  known.send(test::hello());
  EXPECT_EQ(next(known), kHello);
  EXPECT_EQ(spop_of(running.counters()).not_allowed, 1u);

  options.spop_allow.clear();
  options.spop_listen = Endpoint::parse("0.0.0.0:0").value();
  auto engine = std::make_shared<WordEngine>();
  const auto refused = Ingest::open(
      options, {running.clock, running.random, running.sink, "node-1", {}, {}, {}, {}}, engine, policy_of());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("ingest.spop.allow"), std::string::npos);
}

TEST(SpopListener, AFrameThatDoesNotArriveIsNotWaitedFor) {
  auto options = with_spop();
  options.head_timeout_ms = 100;
  options.body_timeout_ms = 100;
  Running running(options);
  Client slow(address(running));
  slow.send(test::hello() + test::frame(3, 0, 1, 1, "part"));
  EXPECT_EQ(next(slow), kHello);
  EXPECT_TRUE(slow.closed());
  EXPECT_EQ(spop_of(running.counters()).too_slow, 1u);
}

}  // namespace
}  // namespace wafd::ingest
