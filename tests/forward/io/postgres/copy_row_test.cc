#include "forward/io/postgres/copy_row.h"

#include <gtest/gtest.h>

namespace wafd::forward {
namespace {

std::string event_row(std::string_view json, std::string_view detail = "", bool with_detail = true) {
  RecordView record;
  record.seq = 7;
  record.time_ms = 1'700'000'000'123;
  record.id = *EventId::parse("00112233445566778899aabbccddeeff");
  record.attack_type = AttackType::kSqli;
  record.risk = Risk::kHigh;
  record.action = Action::kDeny;
  record.src_ip = "2001:db8::1";
  record.site_uuid = "3";
  record.rule_id = "m_sqli/1";
  record.detail = detail;
  std::string out;
  append_event_row(record, json, with_detail, "node-1", out);
  return out;
}

constexpr std::string_view kHead =
    "event\t2023-11-14\t00112233445566778899aabbccddeeff\t2023-11-14 "
    "22:13:20.123+00\tnode-1\t7\t3\tdeny\tsqli\thigh\t2001:db8::1\tm_sqli/1\t\\N\t\\N\t";

TEST(CopyRow, AnEventIsOneLineOfSeventeenFields) {
  EXPECT_EQ(event_row("{}", R"({"a":1})"), std::string(kHead) + "{}\t{\"a\":1}\t\\N\n");
  EXPECT_EQ(event_row("{}", R"({"a":1})", false), std::string(kHead) + "{}\t\\N\t\\N\n");
}

TEST(CopyRow, JsonIsEscapedAndNulIsShownAsText) {
  struct Row {
    std::string_view json, copied;
  };
  const Row kRows[] = {
      {R"({"a":"\"\\"})", R"({"a":"\\"\\\\"})"},
      {"{\"a\":\"\t\n\r\"}", R"({"a":"\t\n\r"})"},
      {R"({"a":"x\u0000y"})", R"({"a":"x\\\\x00y"})"},
      {R"({"a":"\\u0000"})", R"({"a":"\\\\u0000"})"},     // the text \u0000
      {R"({"a":"\\\u0000"})", R"({"a":"\\\\\\\\x00"})"},  // a backslash, then NUL
      {R"({"a":"\u0000\u0000\\u0000"})", R"({"a":"\\\\x00\\\\x00\\\\u0000"})"},
      {R"({"a":"\u00001"})", R"({"a":"\\\\x001"})"},
  };
  for (const Row& row : kRows)
    EXPECT_EQ(event_row(row.json), std::string(kHead) + std::string(row.copied) + "\t\\N\t\\N\n");
}

TEST(CopyRow, WhatIsNoTextOfTheServerIsShown) {
  RecordView record;
  record.src_ip = "not an address";
  record.rule_id = std::string_view("a\xff\0\tb", 5);
  record.reported = true;
  record.response_status = 503;
  record.response_size = 9;
  std::string out;
  append_event_row(record, "{}", false, "n\\ode", out);
  EXPECT_NE(out.find("\tn\\\\ode\t"), std::string::npos) << out;
  EXPECT_NE(out.find("\t\\N\ta\\\\xff\\\\x00\\tb\t503\t9\t"), std::string::npos) << out;
}

TEST(CopyRow, ANoticeHasTheSameIdWhenItIsWrittenAgain) {
  const auto row = [](std::string_view json, std::int64_t time_ms) {
    std::string out;
    append_notice_row("gap", json, time_ms, "n", out);
    return out.substr(15, 32);
  };
  EXPECT_EQ(row("{\"a\":1}", 0), row("{\"a\":1}", 5));
  EXPECT_NE(row("{\"a\":1}", 0), row("{\"a\":2}", 0));
}

TEST(CopyRow, DaysAreOfUtc) {
  EXPECT_EQ(date_text(day_of(0)), "1970-01-01");
  EXPECT_EQ(date_text(day_of(-1)), "1969-12-31");
  EXPECT_EQ(date_text(day_of(-86'400'000)), "1969-12-31");
  EXPECT_EQ(date_text(day_of(951'782'400'000)), "2000-02-29");
  EXPECT_EQ(date_text(day_of(1'709'251'199'999)), "2024-02-29");
}

}  // namespace
}  // namespace wafd::forward
