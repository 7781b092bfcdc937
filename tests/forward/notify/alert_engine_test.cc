// Rules of alerts as tables: what happens at which second, and what is told then.
#include "forward/notify/alert_engine.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kStart = 1'700'000'000'000;
constexpr std::int64_t kMinute = 60'000;

AlertSettings alert(AlertWhen when, std::function<void(AlertSettings&)> change = {}) {
  AlertSettings out;
  out.id = "r";
  out.name = "Rule";
  out.when = when;
  out.count = 3;
  out.minutes = 5;
  if (change) change(out);
  return out;
}

RecordView record(std::int64_t time_ms, std::string_view source = "192.0.2.1",
                  AttackType type = AttackType::kSqli) {
  RecordView out;
  out.time_ms = time_ms;
  out.src_ip = source;
  out.rule_id = "m_sqli/1";
  out.site_uuid = "0";
  out.attack_type = type;
  out.action = Action::kDeny;
  return out;
}

// "began TITLE" of what is told at that time.
std::vector<std::string> told(AlertEngine& engine, std::int64_t now_ms) {
  std::vector<std::string> out;
  for (const Notification& one : engine.tick(now_ms))
    out.push_back(std::string(to_string(one.state)) + " " + one.title);
  return out;
}

TEST(AlertEngine, MoreThanSoManyMatchesBeginOnceAndEnd) {
  AlertEngine engine;
  EXPECT_THAT(engine.apply({alert(AlertWhen::kMatches, [](auto& a) { a.query = "type:sqli"; })}, kStart),
              ElementsAre("r"));
  for (int i = 0; i < 3; ++i) engine.event(record(kStart + i * 1000));
  engine.event(record(kStart, "192.0.2.1", AttackType::kXss));
  EXPECT_THAT(told(engine, kStart + 3000), IsEmpty());
  engine.event(record(kStart + 3000));
  EXPECT_THAT(told(engine, kStart + 3000), ElementsAre("began Rule: 4 events in 5 minutes"));
  EXPECT_TRUE(engine.active("r"));
  engine.event(record(kStart + 4000));
  EXPECT_THAT(told(engine, kStart + 5000), IsEmpty());  // it still holds
  EXPECT_THAT(told(engine, kStart + 5 * kMinute + 1000),
              ElementsAre("ended Rule: over, 3 events in the last 5 minutes"));
  EXPECT_FALSE(engine.active("r"));
  EXPECT_THAT(told(engine, kStart + 20 * kMinute), IsEmpty());
  for (int i = 0; i < 4; ++i) engine.event(record(kStart + 20 * kMinute));
  EXPECT_THAT(told(engine, kStart + 20 * kMinute), ElementsAre("began Rule: 4 events in 5 minutes"));
}

TEST(AlertEngine, EventsFarApartNeverAddUp) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kMatches)}, kStart);
  for (int i = 0; i < 50; ++i) {
    const std::int64_t now = kStart + i * 2 * kMinute;
    engine.event(record(now));
    EXPECT_THAT(told(engine, now), IsEmpty()) << i;
  }
}

TEST(AlertEngine, WhatWasLearntIsNotNew) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kFirstSeen, [](auto& a) { a.of = FirstSeenOf::kSource; })}, kStart);
  EXPECT_EQ(engine.wants_since("r", kStart), 0);
  engine.learn("r", record(kStart - 1, "192.0.2.1"));
  RecordHead head;
  head.source = IpAddress::parse("2001:db8::7");
  engine.learn("r", head);
  engine.event(record(kStart, "192.0.2.1"));
  engine.event(record(kStart, "2001:db8::7"));
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  engine.event(record(kStart, "192.0.2.2"));
  engine.event(record(kStart, "192.0.2.2"));
  EXPECT_THAT(told(engine, kStart), ElementsAre("began Rule: source 192.0.2.2 for the first time"));
  engine.event(record(kStart, "192.0.2.2"));
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  for (int i = 0; i < 30; ++i) engine.event(record(kStart, "198.51.100." + std::to_string(i)));
  const auto all = engine.tick(kStart);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].title, "Rule: 30 sources for the first time");
  EXPECT_EQ(all[0].lines.size(), AlertEngine::kMaxListed + 1);
  EXPECT_EQ(all[0].lines.back(), "and 10 more");
}

TEST(AlertEngine, WhatIsSeenForTheFirstTimeHasItsName) {
  struct Row {
    FirstSeenOf of;
    std::string_view site;
    std::string_view rule;
    std::string_view title;
  };
  const Row rows[] = {
      {FirstSeenOf::kRule, "0", "m_sqli/1", "Rule: rule Tautology (m_sqli/1) for the first time"},
      {FirstSeenOf::kRule, "0", "gone/1", "Rule: rule gone/1 for the first time"},
      {FirstSeenOf::kSite, "5ab1", "m_sqli/1", "Rule: site Shop (5ab1) for the first time"},
      {FirstSeenOf::kSite, "77", "m_sqli/1", "Rule: site 77 for the first time"},
  };
  for (const Row& row : rows) {
    AlertEngine engine([](std::string_view id) { return id == "m_sqli/1" ? "Tautology" : ""; });
    engine.apply({alert(AlertWhen::kFirstSeen, [&row](auto& a) { a.of = row.of; })}, kStart);
    NodeState node;
    node.sites = {{"5ab1", "Shop"}};
    engine.node(node, kStart);
    RecordView seen = record(kStart);
    seen.site_uuid = row.site;
    seen.rule_id = row.rule;
    engine.event(seen);
    EXPECT_THAT(told(engine, kStart), ElementsAre("began " + std::string(row.title)));
  }
}

TEST(AlertEngine, ManySourcesAreForgottenOldestFirst) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kFirstSeen, [](auto& a) { a.of = FirstSeenOf::kSource; })}, kStart);
  for (std::size_t i = 0; i <= AlertEngine::kMaxKnown; ++i)
    engine.learn("r", record(kStart, std::to_string(i)));
  engine.event(record(kStart, std::to_string(AlertEngine::kMaxKnown)));
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  engine.event(record(kStart, "0"));
  EXPECT_THAT(told(engine, kStart), ElementsAre("began Rule: source 0 for the first time"));
}

NodeState with_target(bool well) {
  NodeState state;
  state.targets = {{"t", "siem", well, "waiting"}};
  return state;
}

TEST(AlertEngine, ADeadTargetIsToldAfterItsMinutesAndWhenItIsBack) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kTargetDead)}, kStart);
  engine.node(with_target(true), kStart);
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  engine.node(with_target(false), kStart + kMinute);
  engine.node(with_target(false), kStart + 5 * kMinute);
  EXPECT_THAT(told(engine, kStart + 5 * kMinute), IsEmpty());
  EXPECT_THAT(told(engine, kStart + 6 * kMinute), ElementsAre("began Rule: syslog target siem gets nothing"));
  engine.node(with_target(true), kStart + 7 * kMinute);
  EXPECT_THAT(told(engine, kStart + 7 * kMinute),
              ElementsAre("ended Rule: syslog target siem is well again"));
  engine.node(with_target(false), kStart + 8 * kMinute);
  engine.node({}, kStart + 20 * kMinute);  // removed meanwhile
  EXPECT_THAT(told(engine, kStart + 30 * kMinute), IsEmpty());
}

TEST(AlertEngine, AGatewayIsSilentOnlyIfItEverSpoke) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kGatewaySilent)}, kStart);
  NodeState state;
  state.listeners = {{"t1k", std::nullopt}, {"http", kStart}};
  engine.node(state, kStart + 5 * kMinute - 1);
  EXPECT_THAT(told(engine, kStart + 5 * kMinute - 1), IsEmpty());
  engine.node(state, kStart + 5 * kMinute);
  EXPECT_THAT(told(engine, kStart + 5 * kMinute),
              ElementsAre("began Rule: no request at listener http for 5 minutes"));
  state.listeners[1].last_request_ms = kStart + 6 * kMinute;
  engine.node(state, kStart + 6 * kMinute);
  EXPECT_THAT(told(engine, kStart + 6 * kMinute), ElementsAre("ended Rule: requests at listener http again"));
}

TEST(AlertEngine, ANodeOfTheFleetIsSilentUntilItTellsOrIsForgotten) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kNodeSilent)}, kStart);
  const auto silent_for = [](std::int64_t ms) {
    NodeState state;
    state.nodes = {{"edge 1", "edge", ms}, {"other 2", "other", 0}};
    return state;
  };
  engine.node(silent_for(5 * kMinute - 1), kStart);
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  engine.node(silent_for(5 * kMinute), kStart);
  EXPECT_THAT(told(engine, kStart), ElementsAre("began Rule: node edge has been silent for 5 minutes"));
  engine.node({}, kStart + kMinute);  // the database does not answer: nothing is known to have changed
  EXPECT_THAT(told(engine, kStart + kMinute), IsEmpty());
  engine.node(silent_for(1000), kStart + 2 * kMinute);
  EXPECT_THAT(told(engine, kStart + 2 * kMinute), ElementsAre("ended Rule: node edge tells again"));
  engine.node(silent_for(9 * kMinute), kStart + 9 * kMinute);
  NodeState forgotten;
  forgotten.nodes.emplace();
  engine.node(forgotten, kStart + 9 * kMinute);
  EXPECT_THAT(told(engine, kStart + 9 * kMinute), IsEmpty());
}

TEST(AlertEngine, OverloadCountsWhatComesAfterTheStart) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kOverload)}, kStart);
  NodeState state;
  state.unjudged = 1000;
  engine.node(state, kStart);
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  state.unjudged = 1004;
  engine.node(state, kStart + 1000);
  EXPECT_THAT(told(engine, kStart + 1000),
              ElementsAre("began Rule: 4 requests not judged whole in 5 minutes"));
  EXPECT_THAT(told(engine, kStart + 6 * kMinute),
              ElementsAre("ended Rule: over, 0 requests not judged whole in the last 5 minutes"));
}

TEST(AlertEngine, TheRingsReach) {
  AlertEngine engine;
  engine.apply({alert(AlertWhen::kRingReach, [](auto& a) { a.hours = 24; })}, kStart);
  NodeState state;
  engine.node(state, kStart);  // never full: it reaches as far back as there is anything
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  state.reach_ms = 3 * 60 * kMinute;
  engine.node(state, kStart);
  EXPECT_THAT(told(engine, kStart), ElementsAre("began Rule: the ring reaches back 3 hours only"));
  state.reach_ms = 72 * 60 * kMinute;
  engine.node(state, kStart);
  EXPECT_THAT(told(engine, kStart), ElementsAre("ended Rule: the ring reaches back 3 days again"));
}

TEST(AlertEngine, ARestartDoesNotTellAgain) {
  const auto rules = [] {
    return std::vector<AlertSettings>{alert(AlertWhen::kMatches, [](auto& a) { a.id = "m"; }),
                                      alert(AlertWhen::kTargetDead, [](auto& a) { a.id = "d"; })};
  };
  AlertEngine before;
  before.apply(rules(), kStart);
  for (int i = 0; i < 5; ++i) before.event(record(kStart));
  before.node(with_target(false), kStart - 10 * kMinute);
  EXPECT_EQ(told(before, kStart).size(), 2u);

  AlertEngine after;
  after.restore(before.state());
  EXPECT_THAT(after.apply(rules(), kStart), ElementsAre("m"));
  EXPECT_EQ(after.wants_since("m", kStart), kStart - 5 * kMinute);
  for (int i = 0; i < 5; ++i) after.learn("m", record(kStart));
  after.node(with_target(false), kStart + 1000);
  EXPECT_THAT(told(after, kStart + 1000), IsEmpty());
  after.node(with_target(true), kStart + 2000);
  EXPECT_THAT(told(after, kStart + 2000), ElementsAre("ended Rule: syslog target siem is well again"));
}

TEST(AlertEngine, AnotherNameKeepsWhatARuleKnowsAnotherQueryDoesNot) {
  AlertEngine engine;
  auto rule = alert(AlertWhen::kFirstSeen);
  engine.apply({rule}, kStart);
  engine.event(record(kStart));
  EXPECT_EQ(told(engine, kStart).size(), 1u);
  rule.name = "Renamed";
  EXPECT_THAT(engine.apply({rule}, kStart), IsEmpty());
  engine.event(record(kStart));
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  rule.query = "type:sqli";
  EXPECT_THAT(engine.apply({rule}, kStart), ElementsAre("r"));
  rule.enabled = false;
  EXPECT_THAT(engine.apply({rule}, kStart), IsEmpty());
  engine.event(record(kStart));
  EXPECT_THAT(told(engine, kStart), IsEmpty());
  EXPECT_FALSE(engine.looks_at_events());
}

// Everything that an engine can say, with put-ins that are no English, in Chinese: none of it is left.
TEST(AlertEngine, SaysAllOfItInChineseToo) {
  std::vector<AlertSettings> rules;
  for (const AlertWhen when :
       {AlertWhen::kMatches, AlertWhen::kFirstSeen, AlertWhen::kTargetDead, AlertWhen::kGatewaySilent,
        AlertWhen::kOverload, AlertWhen::kRingReach, AlertWhen::kNodeSilent})
    for (const FirstSeenOf of : {FirstSeenOf::kRule, FirstSeenOf::kSource, FirstSeenOf::kSite}) {
      if (when != AlertWhen::kFirstSeen && of != FirstSeenOf::kRule) continue;
      rules.push_back(alert(when, [&](auto& a) {
        a.id = std::to_string(rules.size());
        a.name = "警";
        a.of = of;
        a.count = 1;
        a.hours = 24;
      }));
    }
  AlertEngine engine;
  engine.apply(rules, kStart);
  std::vector<Notification> said;
  const auto tick = [&](std::int64_t now_ms) {
    for (Notification& one : engine.tick(now_ms)) said.push_back(std::move(one));
  };
  NodeState state;
  state.listeners = {{"八", kStart}};
  engine.node(state, kStart);
  for (const char* words :
       {"disabled", "resolving", "connecting", "waiting", "connected, not acknowledging"}) {
    state.targets.push_back({words, "库", false, words});
    state.unjudged += 2;
  }
  state.reach_ms = 60 * kMinute;
  for (int i = 0; i < 40; ++i) {
    RecordView of = record(kStart, "");
    const std::string value = std::to_string(i);
    of.src_ip = of.rule_id = of.site_uuid = value;
    engine.event(of);
    if (i == 0) tick(kStart);
  }
  engine.node(state, kStart);
  tick(kStart);
  engine.node(state, kStart + 6 * kMinute);
  tick(kStart + 6 * kMinute);
  for (NodeState::Target& target : state.targets) target.well = true;
  state.listeners[0].last_request_ms = kStart + 100 * kMinute;
  state.reach_ms = 100 * 60 * kMinute;
  engine.node(state, kStart + 100 * kMinute);
  tick(kStart + 100 * kMinute);
  EXPECT_EQ(said.size(), 24u);
  for (const Notification& one : said) {
    std::string all = one.chinese_title;
    EXPECT_EQ(one.lines.size(), one.chinese_lines.size());
    for (const std::string& line : one.chinese_lines) all += " " + line;
    for (std::size_t at; (at = all.find("syslog")) != std::string::npos;) all.erase(at, 6);
    EXPECT_TRUE(
        std::none_of(all.begin(), all.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '{'; }))
        << one.title << " -> " << all;
  }
}

}  // namespace
}  // namespace wafd::forward
