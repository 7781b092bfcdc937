#include "ingest/http_session.h"

#include <gtest/gtest.h>

#include "tests/ingest/judge_support.h"

namespace wafd::ingest {
namespace {

struct Bench : JudgeBench {
  explicit Bench(HttpSettings s = {}, IngestLimits l = {})
      : settings(std::move(s)),
        limits(l),
        session({judge, clock, checks, queue, counters, settings, limits, ready},
                IpAddress::parse("127.0.0.1")) {}

  std::string feed(std::string_view bytes, std::size_t piece = 100000) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
      session.on_bytes(bytes.substr(0, piece), clock.monotonic);
    return output();
  }
  // Without the Date field, for comparison.
  std::string output() {
    auto out = session.take_output();
    for (auto at = out.find("Date: "); at != std::string::npos; at = out.find("Date: ", at))
      out.erase(at, 37);
    return out + (session.wants_close() ? "[close]" : "");
  }
  void work() {
    while (auto item = queue.take()) {
      judge_item(*item, judge);
      if (item->done) item->done();
    }
  }
  HttpSettings settings;
  IngestLimits limits;
  FairQueue checks{64 << 20, 1};
  WorkQueue queue{1 << 20};
  HttpCounters counters;
  bool is_ready = true;
  std::function<bool()> ready = [this] { return is_ready; };
  HttpSession session;
};

const std::string kAllowed =
    "HTTP/1.1 200 OK\r\nX-WAF-Action: allow\r\nX-WAF-Time-Us: 0\r\nContent-Length: 0\r\n\r\n";

std::string denied(const EventId& id) {
  const auto body = block_json(id);
  return "HTTP/1.1 403 Forbidden\r\nX-WAF-Action: deny\r\nX-WAF-Event-Id: " + id.text() +
         "\r\nX-WAF-Time-Us: 0\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(HttpSession, ChecksTargetsInAnyFragmentation) {
  const std::string input =
      "GET /check/a?b=c HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /check/x HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n1=ATTACK"
      "POST /check/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\n1=A\r\n5\r\nTTACK\r\n0\r\n\r\n"
      "GET /check/?q=1 HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 100000u}) {
    Bench bench;
    const auto out = bench.feed(input, piece);
    ASSERT_EQ(bench.sink.records.size(), 2u);
    EXPECT_EQ(out, kAllowed + denied(bench.sink.records[0].id) + denied(bench.sink.records[1].id) + kAllowed)
        << piece;
    EXPECT_EQ(bench.counters.checks, 4u);
    EXPECT_NE(bench.sink.records[0].json.find("\"urlpath\":\"/x\""), std::string::npos)
        << bench.sink.records[0].json;
  }
}

TEST(HttpSession, NotEnforcingPasses) {
  IngestLimits limits;
  limits.enforcing = false;
  Bench bench({}, limits);
  const auto out = bench.feed("GET /check/?a=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_EQ(bench.sink.records.size(), 1u);
  EXPECT_EQ(bench.sink.records[0].action, Action::kMonitor);
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nX-WAF-Action: monitor\r\nX-WAF-Event-Id: " +
                     bench.sink.records[0].id.text() + "\r\nX-WAF-Time-Us: 0\r\nContent-Length: 0\r\n\r\n");
}

TEST(HttpSession, DialectsAnswer) {
  {
    Bench bench;
    const std::string head =
        "GET /check HTTP/1.1\r\nHost: w\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Host: "
        "a\r\nX-Forwarded-Uri: ";
    EXPECT_EQ(bench.feed(head + "/?a=b\r\n\r\n"), kAllowed);
    EXPECT_EQ(bench.feed(head + "/?a=ATTACK\r\n\r\n").substr(0, 12), "HTTP/1.1 403");
    EXPECT_EQ(bench.feed("GET /check HTTP/1.1\r\nHost: w\r\n\r\n").substr(0, 12), "HTTP/1.1 400");
    EXPECT_EQ(bench.counters.bad_check, 1u);
  }
  {
    HttpSettings settings;
    settings.dialect = CheckDialect::kCrowdsec;
    settings.crowdsec_api_keys = {"k"};
    Bench bench(settings);
    const std::string head =
        "GET /check HTTP/1.1\r\nHost: w\r\nX-Crowdsec-Appsec-Ip: 203.0.113.9\r\nX-Crowdsec-Appsec-Host: a\r\n"
        "X-Crowdsec-Appsec-Verb: GET\r\nX-Crowdsec-Appsec-Uri: ";
    auto out = bench.feed(head + "/?a=b\r\nX-Crowdsec-Appsec-Api-Key: k\r\n\r\n");
    EXPECT_EQ(out.substr(0, 15) + out.substr(out.find("\r\n\r\n") + 4),
              "HTTP/1.1 200 OK{\"action\":\"allow\",\"http_status\":200}");
    out = bench.feed(head + "/?a=ATTACK\r\nX-Crowdsec-Appsec-Api-Key: k\r\n\r\n");
    EXPECT_EQ(out.substr(0, 12) + out.substr(out.find("\r\n\r\n") + 4),
              "HTTP/1.1 403{\"action\":\"ban\",\"http_status\":403}");
    EXPECT_EQ(bench.feed(head + "/\r\n\r\n").substr(0, 12), "HTTP/1.1 401");
    EXPECT_EQ(bench.counters.bad_key, 1u);
  }
}

TEST(HttpSession, MirrorAnswersAtOnceAndIsJudgedLater) {
  Bench bench;
  EXPECT_EQ(bench.feed("POST /mirror/x?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nATTACK"),
            "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_TRUE(bench.sink.records.empty());
  bench.work();
  ASSERT_EQ(bench.sink.records.size(), 1u);
  EXPECT_EQ(bench.sink.records[0].action, Action::kMonitor);
  EXPECT_EQ(bench.counters.mirrored, 1u);
}

TEST(HttpSession, FullQueueDropsMirrorsAndCounts) {
  Bench bench;
  const std::string body(600000, 'x');
  const auto input = "POST /mirror/ HTTP/1.1\r\nHost: a\r\nContent-Length: 600000\r\n\r\n" + body;
  bench.feed(input);
  EXPECT_EQ(bench.feed(input), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(bench.counters.mirror_dropped, 1u);
  bench.work();
  EXPECT_EQ(bench.judge.counters().requests, 1u);
}

TEST(HttpSession, WhatTheParserRefusesIsJudgedAsViolation) {
  const struct {
    const char* name;
    std::string input;
    const char* status;
    bool recorded;
  } rows[] = {
      {"control byte in target", "GET /check/a\x01 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 403", true},
      {"two lengths", "POST /check/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
       "HTTP/1.1 403", true},
      {"bad chunk", "POST /check/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
       "HTTP/1.1 403", true},
      {"LF alone", "GET /check/a HTTP/1.1\nHost: a\n\n", "HTTP/1.1 403", true},
      {"mirror", "GET /mirror/a HTTP/1.1\r\n\r\n", "HTTP/1.1 204", true},
      {"elsewhere", "GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 400", false},
      {"no HTTP", "\x16\x03\x01", "HTTP/1.1 400", false},
  };
  for (const auto& row : rows) {
    Bench bench;
    const auto out = bench.feed(row.input);
    EXPECT_EQ(out.substr(0, 12), row.status) << row.name;
    EXPECT_TRUE(out.ends_with("[close]")) << row.name;
    bench.work();
    ASSERT_EQ(bench.sink.records.size(), row.recorded ? 1u : 0u) << row.name;
    if (row.recorded) {
      EXPECT_EQ(bench.sink.records[0].attack_type, AttackType::kHttpViolation) << row.name;
    }
    EXPECT_EQ(bench.counters.violations, row.recorded ? 1u : 0u);
    EXPECT_EQ(bench.counters.refused, row.recorded ? 0u : 1u);
  }
}

TEST(HttpSession, OverloadAndBodyLimit) {
  IngestLimits limits;
  limits.max_body_bytes = 4;
  Bench bench({}, limits);
  const std::string input = "POST /check/ HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nxxxxATTACK";
  EXPECT_EQ(bench.feed(input).substr(0, 12), "HTTP/1.1 403") << "what was cut is blocked";
  EXPECT_EQ(bench.sink.records.at(0).attack_type, AttackType::kHttpViolation);
  EXPECT_EQ(bench.counters.bodies_cut, 1u);
  const std::int64_t late_us = bench.clock.monotonic - limits.budget_us - 1;
  bench.session.on_bytes("POST /check/?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nb=c", late_us);
  EXPECT_EQ(bench.output(), kAllowed);
  EXPECT_EQ(bench.judge.counters().judged_by_head, 1u);
  EXPECT_EQ(bench.judge.counters().overload_passed, 1u);
  bench.session.on_bytes("GET /check/?a=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n", late_us);
  EXPECT_EQ(bench.output().substr(0, 12), "HTTP/1.1 403");
}

TEST(HttpSession, WhatIsBigWaitsForItsTurn) {
  Bench bench;
  const std::string body = std::string(20'000, 'x') + "ATTACK";
  const std::string big =
      "POST /check/ HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
      body;
  bool progress = false;
  bench.session.on_progress = [&] { progress = true; };
  EXPECT_EQ(bench.feed(big + "GET /check/ HTTP/1.1\r\nHost: a\r\n\r\n"), "");
  EXPECT_TRUE(bench.session.wants_pause());
  EXPECT_FALSE(bench.session.idle());
  EXPECT_TRUE(run_next(bench.checks, bench.judge));
  EXPECT_TRUE(progress);
  ASSERT_EQ(bench.sink.records.size(), 1u);
  EXPECT_EQ(bench.output(), denied(bench.sink.records[0].id) + kAllowed);
  EXPECT_TRUE(bench.session.idle());
}

TEST(HttpSession, RecordsGoOnAfterABadLine) {
  const std::string lines =
      "{\"method\":\"GET\",\"uri\":\"/?a=ATTACK\",\"src_ip\":\"192.0.2.1\"}\n"
      "not json\n\n"
      "{\"method\":\"GET\",\"uri\":\"/\"}\r\n"
      "{\"method\":\"GET\"}\n"
      "{\"method\":\"GET\",\"uri\":\"/?a=ATTACK\"}";
  const auto input =
      "POST /v1/records HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(lines.size()) + "\r\n\r\n" +
      lines + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 100000u}) {
    Bench bench;
    EXPECT_EQ(bench.feed(input, piece), "") << "the answer waits until all is judged";
    EXPECT_TRUE(bench.session.wants_pause());
    bench.work();
    const auto out = bench.output();
    EXPECT_FALSE(bench.session.wants_pause());
    const auto body = out.substr(out.find("\r\n\r\n") + 4);
    EXPECT_EQ(body.substr(0, body.find("HTTP/1.1")),
              "{\"accepted\":3,\"refused\":2,\"errors\":[{\"line\":2,\"error\":\"expected a JSON object: "
              "syntax error\"},"
              "{\"line\":5,\"error\":\"uri: expected a string, it is missing\"}]}");
    EXPECT_NE(body.find("HTTP/1.1 200 OK"), std::string::npos) << "the pipelined request behind it";
    ASSERT_EQ(bench.sink.records.size(), 2u);
    EXPECT_EQ(bench.sink.records[0].src_ip, "192.0.2.1");
    EXPECT_EQ(bench.sink.records[0].action, Action::kMonitor);
    EXPECT_EQ(bench.counters.records_accepted, 3u);
    EXPECT_EQ(bench.counters.records_refused, 2u);
  }
}

TEST(HttpSession, RecordsOfAClosedConnectionAreJudgedAllTheSame) {
  JudgeBench parts;
  FairQueue checks{64 << 20, 1};
  WorkQueue queue{1 << 20};
  HttpCounters counters;
  const HttpSettings settings;
  const IngestLimits limits;
  const std::function<bool()> ready;
  {
    HttpSession session({parts.judge, parts.clock, checks, queue, counters, settings, limits, ready},
                        std::nullopt);
    session.on_bytes(
        "POST /v1/records HTTP/1.1\r\nHost: a\r\nContent-Length: "
        "999\r\n\r\n{\"method\":\"GET\",\"uri\":\"/ATTACK\"}\n",
        0);
  }
  queue.run_slice(parts.judge, parts.clock, 1000);
  EXPECT_EQ(parts.sink.records.size(), 1u);
}

TEST(HttpSession, SmallPagesAndMethods) {
  Bench bench;
  const auto get = [&](const std::string& method, const std::string& target) {
    const auto out = bench.feed(method + " " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    return out.substr(9, 3) + out.substr(out.find("\r\n\r\n") + 4);
  };
  EXPECT_EQ(get("GET", "/healthz"), "200ok\n");
  EXPECT_EQ(get("HEAD", "/healthz"), "200");
  EXPECT_EQ(get("GET", "/readyz"), "200ready\n");
  bench.is_ready = false;
  EXPECT_EQ(get("GET", "/readyz"), "503not ready\n");
  EXPECT_EQ(get("GET", "/stat"), "200{\"status\":\"ok\"}");
  EXPECT_EQ(get("POST", "/healthz").substr(0, 3), "405");
  EXPECT_EQ(get("GET", "/v1/records").substr(0, 3), "405");
  EXPECT_EQ(get("GET", "/").substr(0, 3), "404");
  EXPECT_EQ(bench.counters.not_found, 3u);
}

TEST(HttpSession, ExpectContinueAndClose) {
  Bench bench;
  EXPECT_EQ(bench.feed("POST /check/ HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
                       "1\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(bench.feed("x"),
            "HTTP/1.1 200 OK\r\nX-WAF-Action: allow\r\nX-WAF-Time-Us: 0\r\nConnection: "
            "close\r\nContent-Length: 0\r\n\r\n[close]");
}

TEST(WorkQueue, ALargeRequestIsForAnotherThread) {
  JudgeBench parts;
  WorkQueue queue{1 << 20};
  for (const std::size_t bytes : {10u, 20'000u, 10u}) {
    WorkItem item;
    item.request.head = "POST / HTTP/1.1\r\n\r\n";
    item.request.body = std::string(bytes, 'x');
    ASSERT_TRUE(queue.push(std::move(item)));
  }
  EXPECT_FALSE(queue.large_waits());
  EXPECT_TRUE(queue.run_slice(parts.judge, parts.clock, 1000));
  EXPECT_TRUE(queue.large_waits());
  EXPECT_TRUE(queue.run_slice(parts.judge, parts.clock, 1000)) << "it is left where it is";
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.take()->request.body.size(), 20'000u);
  EXPECT_FALSE(queue.run_slice(parts.judge, parts.clock, 1000));
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_FALSE(queue.take());
  EXPECT_EQ(parts.judge.counters().requests, 2u);
}

TEST(WorkQueue, YieldsAfterItsSlice) {
  JudgeBench parts;
  // Every judgement "takes" time by the clock that the sink moves on.
  FairQueue checks{64 << 20, 1};
  WorkQueue queue{1 << 20};
  int done = 0;
  for (int i = 0; i < 5; ++i) {
    WorkItem item;
    item.request.head = "GET / HTTP/1.1\r\n\r\n";
    item.done = [&] { ++done, parts.clock.monotonic += 400; };
    ASSERT_TRUE(queue.push(std::move(item)));
  }
  EXPECT_TRUE(queue.run_slice(parts.judge, parts.clock, 1000));
  EXPECT_EQ(done, 3);
  EXPECT_FALSE(queue.run_slice(parts.judge, parts.clock, 1000));
  EXPECT_EQ(done, 5);
  EXPECT_EQ(queue.bytes(), 0u);
}

}  // namespace
}  // namespace wafd::ingest
