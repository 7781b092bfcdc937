#include "ingest/t1k/t1k_session.h"

#include <tuple>

#include <gtest/gtest.h>

#include "tests/ingest/t1k_exchanges.h"
#include "tests/ingest/t1k_support.h"

namespace wafd::ingest::t1k {
namespace {

// The id that the worked example's answer carries.
class ExampleRandom final : public Random {
 public:
  void fill(std::span<std::byte> out) noexcept override {
    const auto id = from_hex("b3c6ce574dc24f09a01f634a39dca83b");
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(id[i % 16]);
  }
};

TEST(Session, WorkedExamplesInAnyFragmentation) {
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
    SetClock clock;
    ExampleRandom random;
    MemorySink sink;
    RequestJudge judge({clock, random, sink, "node-1", {}, {}}, word_engine(), policy_of());
    ReportIndex index;
    Counters counters;
    const IngestLimits limits;
    FairQueue queue{64 << 20, 1};
    Session session({judge, clock, queue, index, counters, limits});
    const auto feed = [&](std::string_view bytes) {
      std::string out;
      for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        EXPECT_TRUE(session.on_bytes(bytes.substr(0, piece), clock.monotonic, out));
      return out;
    };
    EXPECT_EQ(feed(kPassRequest), from_hex("c1010000002e"));
    EXPECT_EQ(feed(kBlockRequest), kBlockAnswer);
    EXPECT_EQ(feed(from_hex("c000000000")), from_hex("c000000000"));
    ASSERT_EQ(sink.records.size(), 1u);
    EXPECT_EQ(sink.records[0].id.text(), "b3c6ce574dc24f09a01f634a39dca83b");
    EXPECT_EQ(sink.records[0].src_ip, "203.0.113.7");
    EXPECT_EQ(sink.records[0].action, Action::kDeny);
    EXPECT_EQ(counters.requests, 2u);
    EXPECT_EQ(counters.heartbeats, 1u);
  }
}

TEST(Session, EveryDialect) {
  const std::string head = "GET /?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string named = "UUID:ab\nRemoteAddr:192.0.2.1\n", binary =
                                                                   "\x01\n\x13"
                                                                   "192.0.2.1\n";
  const struct {
    const char* name;
    std::string message;
  } rows[] = {
      {"LUA2", section(0x41, head) + section(0x20, "Proto:2\n") + section(0x83, named)},
      {"LUA3", section(0x41, head) + section(0x03, binary) + section(0xa0, "Proto:3\n")},
      {"GO", section(0x41, head) + section(0x02, "") + section(0x03, named) + section(0xa0, "Proto:2\n")},
      {"HTTP/2 rebuilt", section(0x41, "GET /?q=ATTACK HTTP/2.0\r\nhost: a\r\n\r\n") + section(0x83, binary)},
      {"LF alone", section(0x41, "GET /?q=ATTACK HTTP/1.1\nHost: a\n\n") + section(0x83, binary)},
      {"no EXTRA", section(0xc1, head)},
  };
  for (const auto& row : rows) {
    Bench bench;
    const auto out = bench.feed(row.message);
    ASSERT_EQ(bench.sink.records.size(), 1u) << row.name;
    EXPECT_EQ(out, block_answer(bench.sink.records[0].id)) << row.name;
    EXPECT_EQ(bench.sink.records[0].src_ip,
              row.message.find("192.0.2.1") == std::string::npos ? "" : "192.0.2.1");
  }
}

TEST(Session, WhoEnforces) {
  const auto attack = section(0x41, "GET /?q=ATTACK HTTP/1.1\r\n\r\n");
  {
    Bench bench;
    EXPECT_EQ(bench.feed(attack + section(0x83, "\x01\n@monitor\n")), pass_answer());
    EXPECT_EQ(bench.sink.records.at(0).action, Action::kMonitor);
  }
  {
    Bench bench;
    EXPECT_NE(bench.feed(attack + section(0x83, "\x01\n@block\n")), pass_answer());
    EXPECT_EQ(bench.sink.records.at(0).action, Action::kDeny);
  }
  {
    IngestLimits limits;
    limits.enforcing = false;
    Bench bench(limits);
    EXPECT_EQ(bench.feed(attack + section(0x83, "\x01\n")), pass_answer());
    EXPECT_EQ(bench.sink.records.at(0).action, Action::kMonitor);
  }
}

TEST(Session, WhatIsTooLateIsJudgedByItsHead) {
  IngestLimits limits;
  limits.budget_us = 1000;
  const std::string post = "POST /?q=";
  const auto in_head = section(0x41, post + "ATTACK HTTP/1.1\r\n\r\n") + section(0x82, "b");
  const auto in_body = section(0x41, post + "1 HTTP/1.1\r\n\r\n") + section(0x82, "ATTACK");
  const auto bare = section(0xc1, "GET /?q=ATTACK HTTP/1.1\r\n\r\n");
  const auto ask = [](Bench& bench, std::string_view bytes, std::int64_t age_us) {
    std::string out;
    EXPECT_TRUE(bench.session.on_bytes(bytes, bench.clock.monotonic - age_us, out));
    return out;
  };
  {
    Bench bench(limits);
    EXPECT_NE(ask(bench, bare, 1001), pass_answer()) << "without a body it is judged whole, however late";
    EXPECT_EQ(bench.judge.counters().judged_by_head, 0u);
    EXPECT_NE(ask(bench, in_head, 1001), pass_answer());
    ASSERT_EQ(bench.sink.records.size(), 2u);
    EXPECT_NE(bench.sink.records[1].detail.find(R"("by_head":true)"), std::string::npos)
        << bench.sink.records[1].detail;
    EXPECT_EQ(ask(bench, in_body, 1001), pass_answer());
    EXPECT_EQ(bench.judge.counters().judged_by_head, 2u);
    EXPECT_EQ(bench.judge.counters().overload_passed, 1u);
    EXPECT_EQ(bench.judge.counters().requests, 3u);
    EXPECT_NE(ask(bench, in_body, 1000), pass_answer());
  }
  limits.on_overload = OnOverload::kBlock;
  {
    Bench bench(limits);
    const auto out = ask(bench, in_body, 1001);
    EXPECT_EQ(out.size(), kBlockAnswer.size());
    EXPECT_NE(out.find("event_id: 0000000000000000"), std::string::npos)
        << "an id of which all know that it has no event";
    EXPECT_EQ(bench.judge.counters().overload_blocked, 1u);
    EXPECT_EQ(ask(bench, section(0xc1, "GET / HTTP/1.1\r\n\r\n"), 1001), pass_answer());
  }
  limits.enforcing = false;
  {
    Bench bench(limits);
    EXPECT_EQ(ask(bench, in_body, 1001), pass_answer());
  }
}

TEST(Session, WhatIsBigWaitsForItsTurn) {
  for (const std::size_t piece : {1u, 7u, 100'000u}) {
    Bench bench;
    std::string later;
    bench.session.on_progress = [&] { EXPECT_TRUE(bench.session.take_output(later)); };
    const auto big =
        section(0x41, "POST / HTTP/1.1\r\n\r\n") + section(0x82, std::string(20'000, 'x') + "ATTACK");
    const auto small = section(0xc1, "GET /?q=1 HTTP/1.1\r\n\r\n");
    EXPECT_EQ(bench.feed(small + big + small + big + small, piece), pass_answer()) << piece;
    EXPECT_TRUE(bench.session.wants_pause());
    EXPECT_TRUE(bench.session.in_message());
    EXPECT_TRUE(run_next(bench.queue, bench.judge));
    ASSERT_EQ(bench.sink.records.size(), 1u);
    EXPECT_EQ(later, block_answer(bench.sink.records[0].id) + pass_answer()) << "with what came behind it";
    EXPECT_TRUE(bench.session.wants_pause());
    EXPECT_TRUE(run_next(bench.queue, bench.judge));
    EXPECT_FALSE(run_next(bench.queue, bench.judge));
    ASSERT_EQ(bench.sink.records.size(), 2u);
    EXPECT_TRUE(later.ends_with(block_answer(bench.sink.records[1].id) + pass_answer()));
    EXPECT_FALSE(bench.session.wants_pause());
    EXPECT_FALSE(bench.session.in_message());
  }
}

TEST(Session, ABreakBehindWhatWaitsIsToldWithItsAnswer) {
  Bench bench;
  bench.feed(section(0x41, "POST / HTTP/1.1\r\n\r\n") + section(0x82, std::string(20'000, 'x')) + "!");
  run_next(bench.queue, bench.judge);
  std::string out;
  EXPECT_FALSE(bench.session.take_output(out));
  EXPECT_EQ(out, pass_answer());
  EXPECT_EQ(bench.counters.malformed[0], 1u);
}

TEST(Session, OneThatGoesTakesWhatWaitsWithIt) {
  FairQueue queue{64 << 20, 1};
  {
    JudgeBench bench;
    ReportIndex index;
    Counters counters;
    const IngestLimits limits;
    Session session({bench.judge, bench.clock, queue, index, counters, limits});
    std::string out;
    ASSERT_TRUE(session.on_bytes(section(0xc1, "GET / " + std::string(20'000, 'x')), 1, out));
    EXPECT_EQ(queue.size(), 1u);
  }
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.take_next());
}

TEST(Session, MalformedIsCountedByReason) {
  Bench bench;
  EXPECT_EQ(bench.feed("!"), "[closed]");
  Bench second;
  EXPECT_EQ(second.feed(section(0x41, "GET / HTTP/1.1\r\n\r\n") + section(0x41, "")), "[closed]");
  EXPECT_EQ(bench.counters.malformed[0], 1u);
  EXPECT_EQ(second.counters.malformed[1], 1u);
}

TEST(Session, AnswersBeforeTheBreakAreGiven) {
  Bench bench;
  EXPECT_EQ(bench.feed(section(0xc1, "GET / HTTP/1.1\r\n\r\n") + "!"), pass_answer() + "[closed]");
}

TEST(Session, BodiesThatAreNotAllHere) {
  const std::string line = "POST / HTTP/1.1\r\nHost: ATTACK\r\n";
  const struct {
    const char* name;
    std::string message;
    bool truncated, abandoned;
  } rows[] = {
      {"whole", section(0x41, line + "Content-Length: 3\r\n\r\n") + section(0x82, "abc"), false, false},
      {"cut by the client", section(0x41, line + "Content-Length: 4\r\n\r\n") + section(0x82, "abc"), true,
       false},
      {"left out", section(0xc1, line + "content-length: 4\r\n\r\n"), false, true},
      {"left out, empty section", section(0x41, line + "Content-Length: 4\r\n\r\n") + section(0x82, ""),
       false, true},
      {"chunked, left out", section(0xc1, line + "Transfer-Encoding: chunked\r\n\r\n"), false, true},
      {"chunked", section(0x41, line + "Transfer-Encoding: chunked\r\n\r\n") + section(0x82, "abc"), false,
       false},
      {"none", section(0xc1, line + "Content-Length: 0\r\n\r\n"), false, false},
      {"chunked, the plugin says that it is cut",
       section(0x41, line + "Transfer-Encoding: chunked\r\n\r\n") + section(0x02, "abc") +
           section(0x83, "\x01\n\x46y\n"),
       true, false},
      {"beyond our limit", section(0x41, line + "Content-Length: 9\r\n\r\n") + section(0x82, "123456789"),
       true, false},
  };
  for (const auto& row : rows) {
    IngestLimits limits;
    limits.max_body_bytes = 8;
    Bench bench(limits);
    bench.feed(row.message);
    ASSERT_EQ(bench.sink.records.size(), 1u) << row.name;
    const auto& json = bench.sink.records[0].json;
    EXPECT_EQ(json.find("\"req_http_body_is_truncate\":1,") != std::string::npos, row.truncated)
        << row.name << json;
    EXPECT_EQ(json.find("\"http_body_is_abandoned\":1,") != std::string::npos, row.abandoned)
        << row.name << json;
  }
}

// Of what has no length nobody else says that a client cut it.
TEST(Session, ABodyAsLongAsClientsSendAtMostIsCut) {
  const std::string line = "POST /?q=ATTACK HTTP/1.1\r\nHost: a\r\n";
  const struct {
    std::string head;
    std::size_t bytes;
    bool truncated;
  } rows[] = {
      {"Transfer-Encoding: chunked\r\n\r\n", 1024 * 1024, true},
      {"\r\n", 1000 * 1024, true},  // HTTP/2
      {"Transfer-Encoding: chunked\r\n\r\n", 1024 * 1024 - 1, false},
      {"Content-Length: 1048576\r\n\r\n", 1024 * 1024, false},
  };
  for (const auto& row : rows) {
    IngestLimits limits;
    limits.max_body_bytes = 4 * 1024 * 1024;
    Bench bench(limits);
    bench.feed(section(0x41, line + row.head) + section(0x82, std::string(row.bytes, 'x')));
    while (const auto taken = bench.queue.take_next()) {
      bench.queue.finish(*taken, taken->work->judge(bench.judge, Turn::kTime));
      taken->work->answer();
    }
    ASSERT_EQ(bench.sink.records.size(), 1u) << row.head;
    // Of the record the body is cut as well.
    EXPECT_EQ(bench.sink.records[0].detail.find("\"body_truncated\":true") != std::string::npos,
              row.truncated)
        << row.head << row.bytes;
  }
}

// A request that is pipelined behind one that waits has the age of its bytes.
TEST(Session, WhatIsPipelinedHasNoBudgetOfItsOwn) {
  IngestLimits limits;
  limits.budget_us = 1000;
  Bench bench(limits);
  const auto large = section(0x41, "POST /a HTTP/1.1\r\n\r\n") + section(0x82, std::string(20'000, 'x'));
  const auto small = section(0x41, "POST /b HTTP/1.1\r\n\r\n") + section(0x82, "ATTACK");
  EXPECT_EQ(bench.feed(large + small), "");
  bench.clock.monotonic += 1001;
  const auto taken = bench.queue.take_next();
  ASSERT_TRUE(taken);
  bench.queue.finish(*taken, taken->work->judge(bench.judge, Turn::kTime));
  taken->work->answer();
  std::string out;
  ASSERT_TRUE(bench.session.take_output(out));
  EXPECT_EQ(out, pass_answer() + pass_answer());
  EXPECT_EQ(bench.judge.counters().judged_by_head, 1u) << "the second: its time was over, too";
}

TEST(Session, WhatThePluginSaysBesideTheRequest) {
  const auto head = section(0x41, "GET /?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n");
  for (const auto& [extra, src_ip, socket_ip, unjudged] : {std::tuple{"\x01\n\x13"
                                                                      "198.51.100.7\n"
                                                                      "E10.0.0.1\n"
                                                                      "D12\n",
                                                                      "198.51.100.7", "10.0.0.1", 12u},
                                                           std::tuple{"\x01\n\x13"
                                                                      "198.51.100.7\n"
                                                                      "Enone\n"
                                                                      "D-1\n",
                                                                      "198.51.100.7", "198.51.100.7", 0u},
                                                           std::tuple{"\x01\n\x13"
                                                                      "198.51.100.7\n",
                                                                      "198.51.100.7", "198.51.100.7", 0u}}) {
    Bench bench;
    bench.feed(head + section(0x83, extra));
    ASSERT_EQ(bench.sink.records.size(), 1u);
    const auto& json = bench.sink.records[0].json;
    EXPECT_NE(json.find(std::string("\"src_ip\":\"") + src_ip + '"'), std::string::npos) << json;
    EXPECT_NE(json.find(std::string("\"socket_ip\":\"") + socket_ip + '"'), std::string::npos) << json;
    EXPECT_EQ(bench.counters.plugin_unjudged, unjudged);
  }
}

TEST(Session, ResponseReports) {
  const std::string head = "GET /?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string extra =
      "\x01\n@monitor\nA7\n\x18"
      "0123456789abcdef0123456789abcdef\n\x19y\n";
  Bench bench;
  // Passed because the plugin only watches; a report will follow, so the event's id goes along.
  const auto answer = bench.feed(section(0x41, head) + section(0x83, extra));
  ASSERT_EQ(bench.sink.records.size(), 1u);
  const auto id = bench.sink.records[0].id;
  EXPECT_EQ(answer, pass_answer(id.text()));
  EXPECT_EQ(bench.counters.plugin_skipped, 7u);

  const auto report = section(0x41, head) +
                      section(0x11, "HTTP/1.1 404 Not Found\r\nContent-Length: 1234\r\n\r\n") +
                      section(0x12, "<html>");
  EXPECT_EQ(bench.feed(report + section(0x25, id.text()) +
                       section(0x13, extra + "\x1d"
                                             "1766000000123456\n") +
                       section(0xa0, "Proto:3\n")),
            pass_answer());
  ASSERT_EQ(bench.sink.reports.size(), 1u);
  EXPECT_EQ(bench.sink.reports[0].id, id);
  EXPECT_EQ(bench.sink.reports[0].status, 404);
  EXPECT_EQ(bench.sink.reports[0].reason_phrase, "Not Found");
  EXPECT_EQ(bench.sink.reports[0].size, 1234u);
  EXPECT_EQ(bench.sink.reports[0].rsp_start_time_ms, 1766000000123);
  EXPECT_EQ(bench.counters.plugin_skipped, 7u) << "a report repeats the request's EXTRA";

  // t1k-go: status line with LF alone, an empty CONTEXT; the id of the gateway leads to the event, once.
  bench.feed(section(0x41, head) + section(0x83, extra));
  const auto second = bench.sink.records.at(1).id;
  const auto by_uuid = section(0x41, head) + section(0x11, "HTTP/1.1 200 OK\nA: b\r\n\r\n") +
                       section(0x12, "12345") + section(0x13, extra) + section(0x20, "Proto:2\n") +
                       section(0xa5, "");
  EXPECT_EQ(bench.feed(by_uuid), pass_answer());
  ASSERT_EQ(bench.sink.reports.size(), 2u);
  EXPECT_EQ(bench.sink.reports[1].id, second);
  EXPECT_EQ(bench.sink.reports[1].status, 200);
  EXPECT_EQ(bench.sink.reports[1].size, 5u);
  EXPECT_EQ(bench.sink.reports[1].rsp_start_time_ms, std::nullopt);
  EXPECT_EQ(bench.feed(by_uuid), pass_answer());
  EXPECT_EQ(bench.sink.reports.size(), 2u);
  EXPECT_EQ(bench.counters.reports_unmatched, 1u);
  EXPECT_EQ(bench.counters.reports, 3u);
}

TEST(Session, WhatOurPluginTellsOfTheResponse) {
  const std::string head = "GET /?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string extra = "\x01\n@monitor\n\x19y\n";
  const struct {
    const char* name;
    std::string rsp_extra, rsp_head;
    std::optional<std::int64_t> start_ms;
    std::int64_t end_ms;
    std::uint16_t status;
    std::uint64_t size;
    const char* phrase;
  } rows[] = {
      {"everything",
       "\x1d"
       "1766000000123456\nB1766000000125999\nC77\n",
       "HTTP/1.1 404 Not Found\r\n\r\n", 1'766'000'000'123, 1'766'000'000'125, 404, 77, "Not Found"},
      {"no bytes at all",
       "\x1d"
       "1766000000123456\nC0\n",
       "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 1'766'000'000'123, 1'766'000'000'000, 200, 0, "OK"},
      {"no times: it is over when it is reported", "", "HTTP/1.1 200 OK\r\n\r\n", std::nullopt,
       1'766'000'000'000, 200, 0, "OK"},
      {"no numbers", "\x1d-5\nBx\nC12x\n", "HTTP/1.1 20x OK\r\n\r\n", std::nullopt, 1'766'000'000'000, 0, 0,
       ""},
      {"numbers beyond all bounds",
       "\x1d"
       "9999999999999999999\nB4611686018427387904\nC99999999999999999\n",
       "HTTP/1.1 2000000 OK", std::nullopt, 1'766'000'000'000, 200, 0, "0000 OK"},
      {"bytes of all kinds", "", std::string("HTTP/1.1 500 \x00\xff\"\x1b[2J\r\n\r\n", 24), std::nullopt,
       1'766'000'000'000, 500, 0, nullptr},
      {"no response head", "", "", std::nullopt, 1'766'000'000'000, 0, 0, ""},
  };
  for (const auto& row : rows) {
    Bench bench;
    bench.feed(section(0x41, head) + section(0x83, extra));
    ASSERT_EQ(bench.sink.records.size(), 1u) << row.name;
    EXPECT_TRUE(bench.sink.records[0].report_expected);
    EXPECT_EQ(
        bench.feed(section(0x41, head) + section(0x11, row.rsp_head) +
                   section(0x25, bench.sink.records[0].id.text()) + section(0x93, "\x01\n" + row.rsp_extra)),
        pass_answer())
        << row.name;
    ASSERT_EQ(bench.sink.reports.size(), 1u) << row.name;
    const auto& report = bench.sink.reports[0];
    EXPECT_EQ(report.time_ms, 1'766'000'000'000) << row.name;
    EXPECT_EQ(report.rsp_start_time_ms, row.start_ms) << row.name;
    EXPECT_EQ(report.rsp_end_time_ms, row.end_ms) << row.name;
    EXPECT_EQ(report.status, row.status) << row.name;
    EXPECT_EQ(report.size, row.size) << row.name;
    if (row.phrase) {
      EXPECT_EQ(report.reason_phrase, row.phrase) << row.name;
    }
  }
}

TEST(Session, ReportsAreExpectedWhereTheyWereAnnounced) {
  const std::string head = "GET /?q=ATTACK HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::pair<const char*, bool> rows[] = {{"\x01\n", false},
                                               {"\x01\n\x19y\n", false},  // it is blocked
                                               {"\x01\n\x1ay\n", true},
                                               {"\x01\n\x1au\n", true},
                                               {"\x01\n@monitor\n\x1ay\n", false},
                                               {"\x01\n@monitor\n\x19y\n", true}};
  for (const auto& [extra, expected] : rows) {
    Bench bench;
    bench.feed(section(0x41, head) + section(0x83, extra));
    ASSERT_EQ(bench.sink.records.size(), 1u);
    EXPECT_EQ(bench.sink.records[0].report_expected, expected) << testing::PrintToString(extra);
  }
}

TEST(Session, ReportsForEventsThatAreNotThereAreAnsweredAndCounted) {
  Bench bench;
  const auto report = [](std::string_view context) {
    return section(0x41, "GET / HTTP/1.1\r\n\r\n") + section(0x11, "HTTP/1.1 200 OK\r\n\r\n") +
           section(0x25, context) + section(0x93, "\x01\n");
  };
  EXPECT_EQ(bench.feed(report("0123456789abcdef0123456789abcdef")), pass_answer());
  EXPECT_EQ(bench.judge.counters().reports_late, 1u);
  for (const char* context : {"", "0123", "0123456789abcdef0123456789abcdeg", "{\"event_id\":\"\"}"})
    EXPECT_EQ(bench.feed(report(context)), pass_answer()) << context;
  EXPECT_EQ(bench.counters.reports_unmatched, 4u);
  EXPECT_EQ(bench.feed(report(std::string(70'000, 'a'))), pass_answer());
  EXPECT_EQ(bench.counters.reports, 6u);
}

TEST(Session, CleanRequestsBringNoContext) {
  Bench bench;
  EXPECT_EQ(bench.feed(section(0x41, "GET / HTTP/1.1\r\n\r\n") + section(0x83, "\x01\n\x19y\n")),
            pass_answer());
  EXPECT_EQ(bench.index.size(), 0u);
}

TEST(ReportIndex, IsBounded) {
  ReportIndex index(3);
  EventId id;
  for (std::uint8_t i = 0; i < 10; ++i) {
    id.bytes[0] = i;
    index.put("u" + std::to_string(i), id);
  }
  EXPECT_EQ(index.size(), 3u);
  EXPECT_FALSE(index.take("u6"));
  EXPECT_EQ(index.take("u9")->bytes[0], 9);
  EXPECT_FALSE(index.take("u9"));
  index.put(std::string(65, 'x'), id);
  index.put("", id);
  EXPECT_EQ(index.size(), 2u);
}

TEST(CleanAddress, NormalTextOrNothing) {
  std::string room;
  const std::pair<const char*, const char*> rows[] = {{"203.0.113.7", "203.0.113.7"},
                                                      {"::ffff:203.0.113.7", "203.0.113.7"},
                                                      {"2001:db8::1", "2001:db8::1"},
                                                      {"203.0.113.7:51", "203.0.113.7"},
                                                      {"[2001:db8::1]:51", "2001:db8::1"},
                                                      {"unix:", ""},
                                                      {"", ""},
                                                      {"1.2.3.4' OR 1=1", ""},
                                                      {"shop.example", ""}};
  for (const auto& [in, out] : rows) EXPECT_EQ(clean_address(in, room), out) << in;
}

}  // namespace
}  // namespace wafd::ingest::t1k
