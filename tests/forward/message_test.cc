#include "forward/format/message.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "detect/core/record_json.h"
#include "forward/format/sample_event.h"
#include "tests/support/record_contract.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kNow = 1'769'861'109'123'456;  // 2026-01-31T12:05:09.123456Z

std::string text(const Message& m) { return std::string(m.header) + std::string(m.content); }

RecordView view_of(const EventRecord& r) {
  RecordView v;
  v.seq = 7;
  v.time_ms = r.time_ms;
  v.id = r.id;
  v.attack_type = r.attack_type;
  v.risk = r.risk;
  v.action = r.action;
  v.json = r.json;
  return v;
}

EventRecord sample() {
  ZoneTime utc;
  return sample_event(*EventId::parse("0123456789abcdef0123456789abcdef"), "node-1", kNow, utc);
}

TEST(Message, ConnectivityTestIsByteExact) {
  MessageMaker maker({}, "node-1", {});
  EXPECT_EQ(text(maker.connectivity(kNow)),
            "<30>1 2026-01-31T12:05:09.123+00:00 node-1 wafd 1 waf_event - Connectivity test requested.");
  TargetSettings t;
  t.facility = 16;
  t.severity = 1;
  t.sequence_id = true;
  EXPECT_EQ(text(MessageMaker(t, "n", {}).connectivity(kNow)),
            "<134>1 2026-01-31T12:05:09.123+00:00 n wafd 1 waf_event - Connectivity test requested.");
}

TEST(Message, EventHasTheSameHeaderAndOneRecord) {
  const EventRecord r = sample();
  MessageMaker maker({}, "node-1", {});
  const std::string t = text(maker.event(view_of(r), 0));
  EXPECT_TRUE(
      t.starts_with("<26>1 2026-01-31T12:05:09.123+00:00 node-1 wafd 1 waf_event - {\"scheme\":\"https\","));
  const auto m = test::StrictParser::parse(t);
  EXPECT_EQ(m.error, "");
  EXPECT_EQ(test::check_record(m.msg), "");
  EXPECT_EQ(m.msg, r.json);
  EXPECT_EQ(text(maker.event(view_of(r), 0)), t);  // made again: byte-identical
}

TEST(Message, SeverityByRiskOrFixed) {
  const EventRecord r = sample();
  RecordView v = view_of(r);
  MessageMaker by_risk({}, "n", {});
  v.risk = Risk::kMedium;
  EXPECT_TRUE(text(by_risk.event(v, 0)).starts_with("<28>1 "));
  v.risk = Risk::kLow;
  EXPECT_TRUE(text(by_risk.event(v, 0)).starts_with("<29>1 "));
  TargetSettings t;
  t.severity = 0;
  EXPECT_TRUE(text(MessageMaker(t, "n", {}).event(v, 0)).starts_with("<24>1 "));
}

TEST(Message, SequenceIdAndBom) {
  const EventRecord r = sample();
  TargetSettings t;
  t.sequence_id = t.bom = true;
  const auto m = test::StrictParser::parse(text(MessageMaker(t, "n", {}).event(view_of(r), 41)));
  EXPECT_EQ(m.error, "");
  EXPECT_TRUE(m.bom);
  ASSERT_EQ(m.sd.size(), 1u);
  EXPECT_EQ(m.sd[0].id, "meta");
  EXPECT_EQ(m.sd[0].params[0], (std::pair<std::string, std::string>{"sequenceId", "41"}));
  EXPECT_EQ(test::check_record(m.msg), "");
}

TEST(Message, RequestDetailEmptiesMembersAndDropsNone) {
  const EventRecord r = sample();
  TargetSettings t;
  t.request_detail = RequestDetail::kNone;
  const auto m = test::StrictParser::parse(text(MessageMaker(t, "n", {}).event(view_of(r), 0)));
  EXPECT_EQ(test::check_record(m.msg), "");
  EXPECT_NE(m.msg.find("\"req_header_raw\":\"\""), std::string::npos);
  EXPECT_NE(m.msg.find("\"query_string\":\"\""), std::string::npos);
  EXPECT_NE(m.msg.find("\"host\":\"shop.example\""), std::string::npos);
}

TEST(Message, TooLargeIsCutInStructure) {
  AttackEvent e;
  for (int i = 0; i < 3000; ++i) e.body += "\xc3\xa4\"\\\n";
  e.header_raw = std::string(8000, 'h');
  e.payload = std::string(1000, 'p');
  std::string json;
  append_record_json(e, json);
  RecordView v;
  v.time_ms = kNow / 1000;
  v.json = json;
  TargetSettings t;
  for (const std::uint32_t most : {2048u, 2049u, 3000u, 4096u, 8192u, 65507u}) {
    t.max_message_bytes = most;
    MessageMaker maker(t, "node-1", {});
    const Message made = maker.event(v, 0);
    const std::string whole = text(made);
    EXPECT_LE(whole.size(), most);
    EXPECT_EQ(made.truncated, whole.size() < json.size());
    const auto m = test::StrictParser::parse(whole);
    EXPECT_EQ(m.error, "");
    EXPECT_EQ(test::check_record(m.msg), "") << most;
  }
}

TEST(Message, GapHealthAudit) {
  MessageMaker maker({}, "node-1", {});
  Gap gap;
  gap.first_seq = 10;
  gap.last_seq = 19;
  gap.count = 10;
  gap.upper_bound = true;
  gap.to_ms = kNow / 1000;
  EXPECT_EQ(
      text(maker.gap(gap, 0)),
      "<28>1 2026-01-31T12:05:09.123+00:00 node-1 wafd 1 waf_gap - {\"type\":\"gap\",\"stream\":\"event\","
      "\"first_seq\":10,\"last_seq\":19,\"count\":10,\"upper_bound\":true,\"from\":null,"
      "\"to\":\"2026-01-31T12:05:09.123+00:00\",\"node\":\"node-1\"}");
  Health h;
  h.now_us = kNow;
  h.uptime_s = 300;
  h.ring_oldest = 1;
  h.ring_end = 5;
  EXPECT_EQ(
      text(maker.alive(maker.health_json(h), h.now_us, 0)),
      "<30>1 2026-01-31T12:05:09.123+00:00 node-1 wafd 1 waf_alive - {\"type\":\"alive\",\"node\":\"node-1\","
      "\"version\":\"" WAFD_VERSION
      "\",\"uptime_s\":300,\"ring_oldest\":1,\"ring_end\":5,\"lag_events\":0,"
      "\"sent\":0,\"lost\":0}");
  EXPECT_EQ(text(maker.audit("{\"a\":1}", kNow, 0)),
            "<29>1 2026-01-31T12:05:09.123+00:00 node-1 wafd 1 waf_audit - {\"a\":1}");
}

TEST(Message, WhateverIsLongerThanTheMaximumIsCutAndStaysJson) {
  TargetSettings t;
  t.max_message_bytes = 480;
  t.app_name = std::string(48, 'a');
  t.hostname = "edge-1";
  std::string node;
  for (int i = 0; i < 80; ++i) node += "\xc3\xa4\"\\";
  MessageMaker maker(t, node, {});
  Gap gap;
  gap.first_seq = gap.last_seq = gap.count = UINT64_MAX;
  gap.from_ms = gap.to_ms = kNow / 1000;
  Health h;
  h.now_us = kNow;
  h.sent = h.ring_end = UINT64_MAX;
  const std::string audit = "{\"user\":\"root\",\"detail\":{\"text\":\"" + std::string(900, 'x') + "\"}}";
  const auto expect_cut = [&](const Message& made, const char* member) {
    EXPECT_TRUE(made.truncated);
    EXPECT_LE(made.size(), 480u) << text(made);
    const auto m = test::StrictParser::parse(text(made));
    EXPECT_EQ(m.error, "") << text(made);
    boost::system::error_code ec;
    const boost::json::value v = boost::json::parse(m.msg, ec);
    ASSERT_FALSE(ec) << m.msg;
    EXPECT_TRUE(v.as_object().contains(member)) << m.msg;
    EXPECT_NE(m.msg.find("[cut "), std::string::npos) << m.msg;
  };
  expect_cut(maker.gap(gap, 7), "last_seq");
  expect_cut(maker.alive(maker.health_json(h), kNow, 7), "lost");
  expect_cut(maker.audit(audit, kNow, 7), "detail");
}

// However long the node's name is, and whatever else a header has.
TEST(Message, AnyNodeFitsTheSmallestMaximum) {
  for (const std::size_t length : {1u, 64u, 101u, 253u, 5000u}) {
    for (const std::uint32_t most : {480u, 500u, 640u, 735u, 2048u}) {
      TargetSettings t;
      t.content = most < 2048 ? Content::kCef : Content::kJson;
      t.max_message_bytes = most;
      t.app_name = std::string(48, 'a');
      t.sequence_id = t.bom = true;
      t.time_precision = 6;
      MessageMaker maker(t, std::string(length, 'n'), {});
      Gap gap;
      gap.first_seq = gap.last_seq = gap.count = UINT64_MAX;
      gap.from_ms = gap.to_ms = kNow / 1000;
      EXPECT_LE(maker.gap(gap, kMaxSequenceId).size(), most) << length;
      Health h;
      h.now_us = kNow;
      h.sent = h.ring_end = h.lost = h.lag_events = h.ring_oldest = UINT64_MAX;
      EXPECT_LE(maker.alive(maker.health_json(h), kNow, kMaxSequenceId).size(), most) << length;
      const EventRecord r = sample();
      EXPECT_LE(maker.event(view_of(r), kMaxSequenceId).size(), most) << length;
      const auto m = test::StrictParser::parse(text(maker.gap(gap, 7)));
      EXPECT_EQ(m.error, "");
      EXPECT_EQ(m.hostname, std::string(m.hostname.size(), 'n'));
      if (most >= 735) {
        EXPECT_EQ(m.hostname.size(), std::min<std::size_t>(length, 255)) << "not cut without need";
      }
    }
  }
}

}  // namespace
}  // namespace wafd::forward
