// Envoy's gRPC over real sockets; tests/e2e/envoy.test.mjs has a client that is generated from the protocol.
#include <string>

#include <gtest/gtest.h>

#include "tests/ingest/envoy_support.h"
#include "tests/ingest/io/client_support.h"

namespace wafd::ingest {
namespace {

namespace test = envoy::test;

IngestOptions with_envoy() {
  IngestOptions options;
  options.envoy_listen = Endpoint::parse("127.0.0.1:0").value();
  return options;
}
std::string address(const Running& running) { return running.ingest->address(IngestListener::kEnvoy); }
const ListenerCounters& envoy_of(const IngestCounters& counters) {
  return counters.listeners[static_cast<std::size_t>(IngestListener::kEnvoy)];
}

TEST(EnvoyListener, IsOffUnlessConfigured) {
  Running running;
  EXPECT_EQ(address(running), "");
}

TEST(EnvoyListener, Judges) {
  Running running(with_envoy());
  Client client(address(running));
  client.send(test::preface() + test::call(1, test::request("/?q=ATTACK")));
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return c.judge.denied == 1; }));
  EXPECT_GT(envoy_of(running.counters()).last_request_ms, 0);
  EXPECT_EQ(running.counters().envoy.requests, 1u);
}

TEST(EnvoyListener, AllowListClosesOthersAndIsNeededBeyondLoopback) {
  auto options = with_envoy();
  options.envoy_allow = {*Cidr::parse("127.0.0.1/32")};
  Running running(options);
  Client stranger(address(running), "127.0.0.2");
  EXPECT_TRUE(stranger.closed());
  EXPECT_EQ(envoy_of(running.counters()).not_allowed, 1u);

  options.envoy_allow.clear();
  options.envoy_listen = Endpoint::parse("0.0.0.0:0").value();
  auto engine = std::make_shared<WordEngine>();
  const auto refused = Ingest::open(
      options, {running.clock, running.random, running.sink, "node-1", {}, {}, {}, {}}, engine, policy_of());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("ingest.envoy.allow"), std::string::npos);
}

TEST(EnvoyListener, ACallThatDoesNotArriveIsNotWaitedFor) {
  auto options = with_envoy();
  options.head_timeout_ms = 100;
  options.body_timeout_ms = 100;
  Running running(options);
  Client slow(address(running));
  slow.send(test::preface() + test::call_head(1));
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return envoy_of(c).too_slow == 1; }));
}

// Bytes that begin HTTP/2 and go no further are no idle connection either.
TEST(EnvoyListener, APrefaceThatDoesNotArriveIsNotWaitedFor) {
  auto options = with_envoy();
  options.head_timeout_ms = 100;
  options.body_timeout_ms = 100;
  Running running(options);
  Client slow(address(running));
  slow.send("PRI * HTTP/2.0\r\n");
  EXPECT_TRUE(running.until([](const IngestCounters& c) { return envoy_of(c).too_slow == 1; }));
}

}  // namespace
}  // namespace wafd::ingest
