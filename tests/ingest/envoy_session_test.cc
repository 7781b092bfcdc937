// One connection of ext_authz by gRPC without a socket.
#include "ingest/envoy/envoy_session.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/ingest/envoy_support.h"
#include "tests/ingest/judge_support.h"

namespace wafd::ingest::envoy {
namespace {

struct Side {
  JudgeBench bench;
  FairQueue queue{64 << 20, 1};
  Counters counters;
  IngestLimits limits;
  std::string out;
  bool broken = false;
  Session session{Session::Shared{bench.judge, bench.clock, queue, counters, limits}};

  void feed(std::string_view bytes, std::size_t piece = 1 << 20) {
    for (; !bytes.empty() && !broken; bytes.remove_prefix(std::min(piece, bytes.size())))
      broken = !session.on_bytes(bytes.substr(0, piece), bench.clock.monotonic_us(), out);
  }
  void turns() {
    while (run_next(queue, bench.judge)) broken = !session.take_output(out) || broken;
  }
  // How often a text stands in what was said.
  std::size_t said(std::string_view text) const {
    std::size_t n = 0;
    for (std::size_t at = out.find(text); at != std::string::npos; at = out.find(text, at + 1)) ++n;
    return n;
  }
};

TEST(EnvoySession, AnswersEachCallInWhateverFragments) {
  const std::string bytes = test::preface() + test::call(1, test::request("/?q=1")) +
                            test::call(3, test::request("/?q=ATTACK")) +
                            test::call(5, test::request("/", "body with ATTACK"));
  std::string whole;
  for (const std::size_t piece :
       {std::size_t{1} << 20, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}}) {
    Side side;
    side.feed(bytes, piece);
    EXPECT_FALSE(side.broken);
    EXPECT_EQ(side.counters.requests, 3u);
    EXPECT_EQ(side.bench.sink.records.size(), 2u);
    EXPECT_EQ(side.said(R"("success":false)"), 2u) << piece;
    EXPECT_EQ(side.session.messages(), 3u);
    EXPECT_FALSE(side.session.in_message());
    EXPECT_EQ(side.counters.bodies.seen, 1u);
  }
}

TEST(EnvoySession, ALargeBodyWaitsForItsTurnAndOthersDoNot) {
  Side side;
  side.feed(test::preface() + test::call(1, test::request("/", std::string(20'000, 'x') + "ATTACK")) +
            test::call(3, test::check_from("192.0.2.1", test::bytes(4, "/?q=ATTACK"))));
  EXPECT_EQ(side.said(R"("success":false)"), 1u);
  EXPECT_EQ(side.session.phase(), Phase::kWaiting);
  side.turns();
  EXPECT_EQ(side.said(R"("success":false)"), 2u);
  EXPECT_EQ(side.session.phase(), Phase::kIdle);
}

TEST(EnvoySession, ACallThatIsCancelledLeavesTheQueue) {
  Side side;
  side.feed(test::preface() + test::call(1, test::request("/", std::string(20'000, 'x') + "ATTACK")));
  EXPECT_EQ(side.queue.size(), 1u);
  side.feed(test::frame(3, 0, 1, std::string("\0\0\0\x08", 4)));  // RST_STREAM, CANCEL
  EXPECT_EQ(side.queue.size(), 0u);
  EXPECT_EQ(side.counters.cancelled, 1u);
  EXPECT_FALSE(side.session.in_message());
}

TEST(EnvoySession, ASessionThatEndsTakesWhatWaitsWithIt) {
  FairQueue queue{64 << 20, 1};
  JudgeBench bench;
  Counters counters;
  IngestLimits limits;
  {
    Session session(Session::Shared{bench.judge, bench.clock, queue, counters, limits});
    std::string out;
    ASSERT_TRUE(
        session.on_bytes(test::preface() + test::call(1, test::request("/", std::string(20'000, 'x'))),
                         bench.clock.monotonic_us(), out));
    EXPECT_EQ(queue.size(), 1u);
  }
  EXPECT_EQ(queue.size(), 0u);
}

TEST(EnvoySession, AMessageBeyondTheLimitsIsJudgedByItsBeginning) {
  Side side;
  side.limits.max_body_bytes = 1000;
  side.limits.max_head_bytes = 1000;
  side.feed(test::preface());
  side.feed(test::acknowledged());
  side.feed(test::call(1, test::request("/", "ATTACK" + std::string(200'000, 'x'))));
  side.turns();
  EXPECT_EQ(side.said(R"("success":false)"), 1u);
  EXPECT_EQ(side.counters.bodies_cut, 1u);
}

TEST(EnvoySession, WhatIsRefusedIsCounted) {
  Side side;
  side.feed(test::preface() + test::call(1, "") + test::call_head(3, "/other/Call") + test::call_body(3, "") +
            test::call_head(5, "/x", "text/plain") + test::call_body(5, "") + test::call_head(7) +
            test::frame(0, 1, 7, std::string("\1\0\0\0\0", 5)) + test::call_head(9) +
            test::frame(0, 1, 9, "abc"));
  const auto of = [&](Malformed m) { return side.counters.malformed[static_cast<std::size_t>(m)]; };
  EXPECT_EQ(of(Malformed::kMessage), 2u);
  EXPECT_EQ(of(Malformed::kUnknownCall), 1u);
  EXPECT_EQ(of(Malformed::kNotGrpc), 1u);
  EXPECT_EQ(of(Malformed::kCompressed), 1u);
  EXPECT_EQ(side.counters.requests, 0u);
  EXPECT_FALSE(side.broken);
}

TEST(EnvoySession, WhatIsNoHttp2EndsIt) {
  Side side;
  side.feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(side.broken);
  Side frames;
  frames.feed(test::preface() + test::frame(0, 0, 1, "data of no stream"));
  EXPECT_TRUE(frames.session.ended()) << "HTTP/2 says goodbye by itself";
}

TEST(EnvoySession, MoreHeadersThanACallMayHaveEndItAlone) {
  Side side;
  const std::string pseudo = test::literal(":method", "POST") + test::literal(":scheme", "http") +
                             test::literal(":path", "/") + test::literal(":authority", "wafd");
  std::string many;
  for (int i = 0; i < 100; ++i) many += test::literal("x", std::string(120, 'x'));
  constexpr unsigned kContinuation = 9, kEndStream = 1, kEndHeaders = 4, kReset = 3;
  side.feed(test::preface() + test::frame(1, kEndStream, 1, pseudo + many) +
            test::frame(kContinuation, kEndHeaders, 1, many));
  EXPECT_FALSE(side.broken);
  EXPECT_FALSE(side.session.in_message());
  EXPECT_EQ(side.out.substr(side.out.size() - 13, 9), test::frame(kReset, 0, 1, "1234").substr(0, 9));
  side.feed(test::call(3, test::request("/?q=ATTACK")));
  EXPECT_EQ(side.counters.requests, 1u);
  EXPECT_EQ(side.said(R"("success":false)"), 1u);
}

}  // namespace
}  // namespace wafd::ingest::envoy
