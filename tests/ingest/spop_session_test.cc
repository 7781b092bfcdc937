#include "ingest/spop/spop_session.h"

#include <gtest/gtest.h>

#include "tests/ingest/judge_support.h"
#include "tests/ingest/spop_support.h"

namespace wafd::ingest::spop {
namespace {

using Lines = std::vector<std::string>;
const std::string kHello = "hello version=2.0 max-frame-size=16380 capabilities=pipelining,fragmentation";
const std::string kBye = "disconnect status-code=0 message=normal";

struct Bench : JudgeBench {
  explicit Bench(IngestLimits l = {}) : limits(l) {
    session.on_progress = [this] { EXPECT_TRUE(session.take_output(later)); };
  }
  // "closed" behind what was said: the connection ends with an error, "ended" in order.
  Lines feed(std::string_view bytes, std::size_t piece = 100'000) {
    std::string out;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      const auto read = session.on_bytes(bytes.substr(0, piece), clock.monotonic, out);
      if (read && !session.ended()) continue;
      auto lines = test::dump(out);
      lines.push_back(read ? "ended" : "closed");
      return lines;
    }
    return test::dump(out);
  }
  IngestLimits limits;
  FairQueue queue{64 << 20, 1};
  Counters counters;
  std::string later;
  Session session{{judge, clock, queue, counters, limits}};
};

std::string denied(const std::string& ids, const EventRecord& record) {
  const std::string id = record.id.text();
  return "ack " + ids + " action=deny event_id=" + id + " id=" + id +
         " status=403 content_type=application/json body=" + block_json(record.id, 403);
}
std::string passed(const std::string& ids) { return "ack " + ids + " action=allow id=7F000001:1"; }

TEST(SpopSession, AConversationInAnyFragmentation) {
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 100'000u}) {
    Bench bench;
    const auto lines =
        bench.feed(test::hello() + test::notify(5, test::request("q=1")) +
                       test::notify(6, test::request("q=ATTACK"), 300) +
                       test::notify(7, test::message("coraza-res", {{"status", test::int32(200)}})) +
                       test::frame(77, 1, 1, 1, "what") + test::frame(0, 1, 9, 9, "late") +
                       test::frame(2, 1, 0, 0,
                                   test::text("status-code") + test::uint32(0) + test::text("message") +
                                       test::typed("normal")),
                   piece);
    ASSERT_EQ(bench.sink.records.size(), 1u) << piece;
    EXPECT_EQ(lines, (Lines{kHello, passed("5/1"), denied("6/300", bench.sink.records[0]), "ack 7/1", kBye,
                            "ended"}))
        << piece;
    EXPECT_EQ(bench.sink.records[0].src_ip, "203.0.113.7");
    EXPECT_EQ(bench.sink.records[0].action, Action::kDeny);
    EXPECT_EQ(bench.counters.requests, 2u);
    EXPECT_EQ(bench.counters.other, 1u);
    EXPECT_EQ(bench.counters.unknown_frames, 2u);
    EXPECT_EQ(bench.counters.peer_errors, 0u);
  }
}

TEST(SpopSession, HelloIsRefusedByReason) {
  using namespace test;
  const std::string versions = text("supported-versions") + typed("1.0, 2.0"),
                    size = text("max-frame-size") + uint32(256), none = text("capabilities") + typed("");
  const struct {
    const char* name;
    std::string bytes, answer;
    int reason;  // -1: none
  } rows[] = {
      {"least", frame(1, 1, 0, 0, versions + size + none),
       "hello version=2.0 max-frame-size=256 capabilities=pipelining,fragmentation", -1},
      {"more than we take", hello(1u << 30),
       "hello version=2.0 max-frame-size=1048576 capabilities=pipelining,fragmentation", -1},
      {"no version", frame(1, 1, 0, 0, size + none), "5 message=version value not found", 2},
      {"no size", frame(1, 1, 0, 0, versions + none), "6 message=max-frame-size value not found", 3},
      {"no capabilities", frame(1, 1, 0, 0, versions + size), "7 message=capabilities value not found", 4},
      {"old", hello(16380, {}, "1.0, 20.1"), "8 message=unsupported version: expected 2.0", 5},
      {"small", hello(255), "9 message=max-frame-size too small: expected at least 256", 6},
      {"twice", hello() + hello(), "4 message=invalid frame received", 1},
      {"fragmented", frame(1, 0, 0, 0, versions + size + none), "4 message=invalid frame received", 1},
      {"broken list", frame(1, 1, 0, 0, versions + "\x99"), "4 message=invalid frame received", 1},
      {"another frame first", notify(1, request("")), "4 message=invalid frame received", 1},
      {"a frame without its ids", raw_frame("\x01\x00\x00"), "4 message=invalid frame received", 1},
      {"an empty frame", raw_frame(""), "4 message=invalid frame received", 1},
      {"announced 4 GiB", "\xff\xff\xff\xff", "3 message=frame is too big", 0},
      {"HTTP", "GET / HTTP/1.1\r\n\r\n", "3 message=frame is too big", 0},
      {"beyond what was agreed", hello(256) + notify(1, std::string(300, 'x')), "3 message=frame is too big",
       0},
  };
  for (const auto& row : rows) {
    Bench bench;
    const auto lines = bench.feed(row.bytes);
    if (row.reason < 0) {
      EXPECT_EQ(lines, Lines{row.answer}) << row.name;
      continue;
    }
    ASSERT_GE(lines.size(), 2u) << row.name;
    EXPECT_EQ(lines[lines.size() - 2], "disconnect status-code=" + row.answer) << row.name;
    EXPECT_EQ(lines.back(), "closed") << row.name;
    EXPECT_EQ(bench.counters.malformed[static_cast<std::size_t>(row.reason)], 1u) << row.name;
  }
}

TEST(SpopSession, HealthchecksEndWithTheHello) {
  Bench bench;
  EXPECT_EQ(bench.feed(test::hello(16380, test::text("healthcheck") + test::boolean(true))),
            (Lines{kHello, "ended"}));
  EXPECT_EQ(bench.counters.healthchecks, 1u);
  Bench none;
  EXPECT_EQ(none.feed(test::hello(16380, test::text("healthcheck") + test::boolean(false))), Lines{kHello});
}

TEST(SpopSession, FragmentedPayloads) {
  using test::frame;
  const std::string payload =
      test::request("", "content-length: 900\r\n\r\n", std::string(894, 'x') + "ATTACK");
  const auto fragments = [&](std::size_t piece, bool abort) {
    std::string out;
    for (std::size_t at = 0; at < payload.size(); at += piece) {
      const bool last = at + piece >= payload.size();
      out += frame(at == 0 ? 3 : 0, last ? (abort ? 3 : 1) : 0, 5, 1, payload.substr(at, piece));
    }
    return out;
  };
  for (const std::size_t piece : {1u, 7u, 200u}) {
    Bench bench;
    const auto lines = bench.feed(test::hello(256) + fragments(piece, false));
    ASSERT_EQ(bench.sink.records.size(), 1u);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_TRUE(lines[1].starts_with("ack 5/1 action=deny")) << lines[1];
    EXPECT_FALSE(bench.session.in_message());
  }
  Bench aborted;
  EXPECT_EQ(aborted.feed(test::hello() + fragments(200, true) + test::notify(6, test::request(""))),
            (Lines{kHello, passed("6/1")}));
  EXPECT_EQ(aborted.counters.aborted, 1u);
  EXPECT_TRUE(aborted.sink.records.empty());

  const std::string first = frame(3, 0, 5, 1, payload.substr(0, 100));
  for (const auto& next :
       {frame(0, 1, 5, 2, "x"), frame(0, 1, 6, 1, "x"), frame(3, 1, 5, 1, "x"), frame(77, 1, 5, 1, "")}) {
    Bench bench;
    const auto lines = bench.feed(test::hello() + first + next);
    EXPECT_EQ(lines,
              (Lines{kHello, "disconnect status-code=11 message=invalid interlaced frames", "closed"}));
  }
  Bench leaving;
  EXPECT_EQ(
      leaving.feed(test::hello() + first + frame(2, 1, 0, 0, test::text("status-code") + test::uint32(2))),
      (Lines{kHello, kBye, "ended"}));
  EXPECT_EQ(leaving.counters.peer_errors, 1u);
}

TEST(SpopSession, APayloadBeyondTheLimitsIsJudgedAsFarAsItIsKept) {
  IngestLimits limits;
  limits.max_head_bytes = limits.max_body_bytes = 1000;
  Bench bench(limits);
  const std::string payload = test::request("q=ATTACK", "host: a\r\n\r\n", std::string(200'000, 'x'));
  std::string bytes = test::hello();
  for (std::size_t at = 0; at < payload.size(); at += 16'000)
    bytes += test::frame(at == 0 ? 3 : 0, at + 16'000 >= payload.size(), 5, 1, payload.substr(at, 16'000));
  const auto lines = bench.feed(bytes);
  ASSERT_EQ(bench.sink.records.size(), 1u);
  EXPECT_EQ(lines.back(), denied("5/1", bench.sink.records[0]));
  EXPECT_NE(bench.sink.records[0].json.find("\"req_http_body_is_truncate\":1,"), std::string::npos);
  EXPECT_EQ(bench.counters.bodies_cut, 1u);
}

TEST(SpopSession, OneThatWaitsHoldsUpNoOthersOfItsConnection) {
  for (const std::size_t piece : {7u, 100'000u}) {
    Bench bench;
    const auto big = [&](unsigned stream) {
      return test::notify(stream, test::request("", "\r\n", std::string(20'000, 'x') + "ATTACK"));
    };
    // Of another client.
    const auto small = test::notify(
        2, test::message("m", {{"path", test::typed("/")}, {"src-ip", test::typed("192.0.2.9")}}));
    const auto lines = bench.feed(test::hello(100'000) + big(1) + small + big(3), piece);
    ASSERT_EQ(lines.size(), 2u) << piece;
    EXPECT_EQ(lines[1], "ack 2/1 action=allow");
    EXPECT_EQ(bench.session.phase(), Phase::kWaiting);
    EXPECT_FALSE(bench.session.wants_pause());
    EXPECT_TRUE(run_next(bench.queue, bench.judge));
    EXPECT_TRUE(run_next(bench.queue, bench.judge));
    ASSERT_EQ(bench.sink.records.size(), 2u);
    EXPECT_EQ(test::dump(bench.later),
              (Lines{denied("1/1", bench.sink.records[0]), denied("3/1", bench.sink.records[1])}));
    EXPECT_FALSE(bench.session.in_message());
  }
}

TEST(SpopSession, AsManyWaitAsMayAndTheRestIsReadAfterwards) {
  Bench bench;
  std::string bytes = test::hello(100'000);
  const std::size_t all = 2 * kMaxWaiting + 3;
  for (std::size_t i = 0; i < all; ++i)
    bytes += test::notify(i, test::request("", "\r\n", std::string(17'000, 'x')));
  bench.feed(bytes);
  EXPECT_TRUE(bench.session.wants_pause());
  EXPECT_EQ(bench.queue.size(), kMaxWaiting);
  for (std::size_t i = 0; i < all; ++i) EXPECT_TRUE(run_next(bench.queue, bench.judge)) << i;
  EXPECT_FALSE(run_next(bench.queue, bench.judge));
  EXPECT_EQ(test::dump(bench.later).size(), all);
  EXPECT_FALSE(bench.session.wants_pause());
}

TEST(SpopSession, OneThatGoesTakesWhatWaitsWithIt) {
  FairQueue queue{64 << 20, 1};
  {
    JudgeBench bench;
    Counters counters;
    const IngestLimits limits;
    Session session({bench.judge, bench.clock, queue, counters, limits});
    std::string out;
    ASSERT_TRUE(session.on_bytes(
        test::hello(100'000) + test::notify(1, test::request("", "\r\n", std::string(20'000, 'x'))),
        bench.clock.monotonic, out));
    EXPECT_EQ(queue.size(), 1u);
  }
  EXPECT_TRUE(queue.empty());
}

TEST(SpopSession, AListenerThatDoesNotEnforceAllows) {
  IngestLimits limits;
  limits.enforcing = false;
  Bench bench(limits);
  const auto lines = bench.feed(test::hello() + test::notify(1, test::request("q=ATTACK")));
  ASSERT_EQ(bench.sink.records.size(), 1u);
  const std::string id = bench.sink.records[0].id.text();
  EXPECT_EQ(lines, (Lines{kHello, "ack 1/1 action=allow event_id=" + id + " id=" + id}));
  EXPECT_EQ(bench.sink.records[0].action, Action::kMonitor);
}

TEST(SpopSession, AnAckFitsTheFrame) {
  Bench bench;
  const auto lines = bench.feed(test::hello(256) + [] {
    const auto payload = test::message("m", {{"path", test::typed("/ATTACK")}});
    return test::notify(1, payload);
  }());
  ASSERT_EQ(lines.size(), 2u);
  const std::string id = bench.sink.records.at(0).id.text();
  EXPECT_EQ(lines[1], "ack 1/1 action=deny event_id=" + id + " id=" + id + " status=403");
}

}  // namespace
}  // namespace wafd::ingest::spop
