#include "ingest/judge.h"

#include <gtest/gtest.h>

#include "tests/ingest/judge_support.h"

namespace wafd::ingest {
namespace {

Request request_of(std::string_view head) {
  Request request;
  request.head = head;
  return request;
}

TEST(RequestJudge, RecordsWhatItDenies) {
  JudgeBench bench;
  auto answer = bench.judge.judge(request_of("GET / HTTP/1.1\r\n\r\n"), Enforcement::kInline);
  EXPECT_EQ(answer.action, Action::kAllow);
  EXPECT_FALSE(answer.recorded);
  answer = bench.judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kInline);
  EXPECT_EQ(answer.action, Action::kDeny);
  EXPECT_TRUE(answer.recorded);
  ASSERT_EQ(bench.sink.records.size(), 1u);
  EXPECT_EQ(bench.sink.records[0].id, answer.event_id);
  EXPECT_EQ(bench.sink.records[0].attack_type, AttackType::kSqli);
  EXPECT_NE(bench.sink.records[0].json.find(answer.event_id.text()), std::string::npos);
  EXPECT_NE(bench.sink.records[0].json.find("node-1"), std::string::npos);
  answer = bench.judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kMirror);
  EXPECT_EQ(answer.action, Action::kMonitor);
  const auto& counters = bench.judge.counters();
  EXPECT_EQ(counters.requests, 3u);
  EXPECT_EQ(counters.denied, 1u);
  EXPECT_EQ(counters.monitored, 1u);
  EXPECT_EQ(counters.total_bytes, 18u + 27u + 27u);
  EXPECT_EQ(counters.detect_times.total(), 3u);
  EXPECT_GE(counters.detect_times.quantile(1) * 3, counters.detect_us);
}

TEST(RequestJudge, TellsEachEventWithTheGatewaysIdOfItsRequest) {
  JudgeBench bench;
  std::vector<std::string> told;
  RequestJudge judge({bench.clock,
                      bench.random,
                      bench.sink,
                      "node-1",
                      {},
                      {},
                      [&](const EventRecord& event, std::string_view id) {
                        told.push_back(event.src_ip + "|" + std::string(id));
                      }},
                     word_engine(), policy_of());
  Request request = request_of("GET /?a=ATTACK HTTP/1.1\r\nX-Request-Id: of-the-head\r\n\r\n");
  request.connection.src_ip = "203.0.113.7";
  judge.named("of-the-gateway");
  judge.judge(request, Enforcement::kInline);
  judge.judge(request, Enforcement::kInline);  // the name was of the one before
  judge.named("of-no-event");
  judge.judge(request_of("GET / HTTP/1.1\r\n\r\n"), Enforcement::kInline);
  judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kInline);
  EXPECT_EQ(told, (std::vector<std::string>{"203.0.113.7|of-the-gateway", "203.0.113.7|", "|"}))
      << "a header of the request is the client's";
}

TEST(RequestJudge, HitsAreHandedOverOnce) {
  JudgeBench bench;
  Request request = request_of("GET /?a=ATTACK HTTP/1.1\r\nHost: a.example\r\n\r\n");
  request.body_truncated = true;
  bench.judge.judge(request, Enforcement::kInline);
  bench.judge.judge(request, Enforcement::kInline);
  const detect::UsageCounters hits = bench.judge.take_hits();
  EXPECT_EQ(hits.rules.at("m_test/00000000000000000000000000000001").count, 2u);
  EXPECT_EQ(hits.unknown.hosts().front().name, "a.example");
  EXPECT_EQ(hits.unknown.hosts().front().count, 2u);
  EXPECT_EQ(bench.judge.counters().bodies_truncated, 2u);
  EXPECT_TRUE(bench.judge.take_hits().rules.empty());
  bench.judge.judge(request, Enforcement::kInline);
  EXPECT_EQ(bench.judge.take_hits().unknown.hosts().front().count, 1u);
}

TEST(RequestJudge, WhatItsTimeLeftOutIsTheSitesDecision) {
  JudgeBench bench;
  TimeLimit limit;
  limit.deadline_us = bench.clock.monotonic;  // now
  const Request request = request_of("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(bench.judge.judge(request, Enforcement::kInline, limit).action, Action::kDeny);
  ASSERT_EQ(bench.sink.records.size(), 1u);
  EXPECT_NE(bench.sink.records[0].detail.find(R"("interrupted":true)"), std::string::npos);
  EXPECT_NE(bench.sink.records[0].json.find("ingest.budget_ms"), std::string::npos);
  EXPECT_EQ(bench.judge.counters().interrupted, 1u);
  EXPECT_EQ(bench.judge.counters().limits_reached, 1u);
  limit.deadline_us += 1;
  EXPECT_EQ(bench.judge.judge(request, Enforcement::kInline, limit).action, Action::kAllow);

  detect::PolicySettings settings;
  settings.sites.push_back({});
  settings.sites[0].uuid = "0";
  settings.sites[0].on_limit = detect::OnLimit::kPass;
  bench.judge.swap(policy_of(settings));
  limit.deadline_us -= 1;
  EXPECT_EQ(bench.judge.judge(request, Enforcement::kInline, limit).action, Action::kAllow);
  EXPECT_EQ(
      bench.judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kInline, limit).action,
      Action::kDeny)
      << "what was found by then stands";
}

TEST(RequestJudge, OverloadBlocksOnlyWhereTheSiteBlocks) {
  TimeLimit limit;
  limit.late = limit.block_late = true;
  Request request = request_of("POST / HTTP/1.1\r\n\r\n");
  request.body = "a";
  request.connection.src_ip = "192.0.2.1";
  JudgeBench bench;
  EXPECT_EQ(bench.judge.judge(request, Enforcement::kMirror, limit).action, Action::kAllow);
  EXPECT_EQ(bench.judge.counters().overload_passed, 1u);
  auto answer = bench.judge.judge(request, Enforcement::kInline, limit);
  EXPECT_EQ(answer.action, Action::kDeny);
  EXPECT_FALSE(answer.recorded);
  EXPECT_TRUE(answer.event_id.is_unjudged());
  EXPECT_EQ(bench.judge.counters().overload_blocked, 1u);

  detect::PolicySettings settings;
  settings.lists.push_back({"1", detect::ListKind::kAllow, "192.0.2.0/24", "", 0});
  bench.judge.swap(policy_of(settings));
  EXPECT_EQ(bench.judge.judge(request, Enforcement::kInline, limit).action, Action::kAllow);
  settings.lists.clear();
  settings.sites.push_back({});
  settings.sites[0].uuid = "0";
  settings.sites[0].mode = detect::Mode::kMonitor;
  bench.judge.swap(policy_of(settings));
  EXPECT_EQ(bench.judge.judge(request, Enforcement::kInline, limit).action, Action::kAllow);
  EXPECT_EQ(bench.judge.counters().judged_by_head, 4u);
}

TEST(RequestJudge, FullRingIsCountedAndTheAnswerStands) {
  JudgeBench bench;
  bench.sink.full = true;
  const auto answer = bench.judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kInline);
  EXPECT_EQ(answer.action, Action::kDeny);
  EXPECT_EQ(bench.judge.counters().ring_refused, 1u);
}

TEST(RequestJudge, ViolationsFollowThePolicyOfTheirType) {
  {
    JudgeBench bench;
    const auto answer =
        bench.judge.violation(request_of("GET /\x01 HTTP/1.1\r\n\r\n"), Enforcement::kInline, "bad target");
    EXPECT_EQ(answer.action, Action::kDeny);
    ASSERT_EQ(bench.sink.records.size(), 1u);
    EXPECT_EQ(bench.sink.records[0].attack_type, AttackType::kHttpViolation);
    EXPECT_EQ(bench.sink.records[0].rule_id, framing_rule().id);
    EXPECT_EQ(bench.judge.counters().violations, 1u);
  }
  {
    JudgeBench bench;
    detect::PolicySettings settings;
    settings.sites.push_back({});
    settings.sites[0].uuid = "0";
    settings.sites[0].sensitivity_by_type = {{AttackType::kHttpViolation, std::nullopt}};
    bench.judge.swap(policy_of(settings));
    EXPECT_EQ(bench.judge.violation(request_of("GET /\x01"), Enforcement::kInline, "bad").action,
              Action::kAllow);
    EXPECT_TRUE(bench.sink.records.empty());
  }
}

TEST(RequestJudge, SwapGivesTheOldSnapshotsBack) {
  JudgeBench bench;
  bench.judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kInline);
  auto next = word_engine();
  const auto* engine = next.engine.get();
  const auto old = bench.judge.swap(std::move(next));
  EXPECT_NE(old.engine.get(), engine);
  EXPECT_NE(old.scratch, nullptr);
  EXPECT_EQ(bench.judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kInline).action,
            Action::kDeny);
  const auto policy = policy_of();
  EXPECT_NE(bench.judge.swap(policy), policy);
}

TEST(RequestJudge, LateReportsAreCounted) {
  JudgeBench bench;
  const auto answer = bench.judge.judge(request_of("GET /?a=ATTACK HTTP/1.1\r\n\r\n"), Enforcement::kInline);
  ResponseReport report;
  report.id = answer.event_id;
  bench.judge.report(report);
  report.id = EventId{};
  bench.judge.report(report);
  EXPECT_EQ(bench.judge.counters().reports, 2u);
  EXPECT_EQ(bench.judge.counters().reports_late, 1u);
}

TEST(BlockPage, IsAsTheSiteWantsIt) {
  Answer answer;
  answer.event_id = *EventId::parse("b3c6ce574dc24f09a01f634a39dca83b");
  struct Row {
    const char* body;
    const char* type;
    const char* page;
  };
  constexpr Row kRows[] = {
      {"<p>{event_id}</p> {event_id}", "text/html; charset=utf-8",
       "<p>b3c6ce574dc24f09a01f634a39dca83b</p> b3c6ce574dc24f09a01f634a39dca83b"},
      {"{\"id\":\"{event_id}\"}", "application/json", "{\"id\":\"b3c6ce574dc24f09a01f634a39dca83b\"}"},
      {"Blocked. {event", "text/plain; charset=utf-8", "Blocked. {event"},
  };
  for (const Row& row : kRows) {
    answer.block_body = row.body;
    EXPECT_EQ(block_page(answer).type, row.type);
    EXPECT_EQ(block_page(answer).body, row.page);
  }
  answer.block_body.clear();
  answer.block_status = 406;
  EXPECT_EQ(block_page(answer).type, "application/json");
  EXPECT_TRUE(block_page(answer).body.starts_with(R"({"code":406,"success":false,)"));
}

TEST(BlockJson, IsExact) {
  EXPECT_EQ(block_json(*EventId::parse("b3c6ce574dc24f09a01f634a39dca83b")),
            "{\"code\":403,\"success\":false,\"message\":\"blocked by web application firewall\","
            "\"event_id\":\"b3c6ce574dc24f09a01f634a39dca83b\"}");
}

}  // namespace
}  // namespace wafd::ingest
