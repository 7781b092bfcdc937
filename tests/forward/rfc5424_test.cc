#include "forward/format/rfc5424.h"

#include <gtest/gtest.h>

#include "tests/support/strict_bsd.h"
#include "tests/support/strict_syslog.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kTime = 1'769'861'109'123'456;  // 2026-01-31T12:05:09.123456Z

std::string write(const TargetSettings& t, std::string_view msgid = "waf_event", std::uint32_t id = 0,
                  std::string_view node = "node-1", std::string_view zone = "UTC",
                  std::int64_t time = kTime) {
  HeaderWriter writer(t, node, ZoneTime::of(zone).value());
  std::string out;
  writer.append(6, time, msgid, id, out);
  return out;
}

TEST(Rfc5424, ByDefault) {
  EXPECT_EQ(write({}), "<30>1 2026-01-31T12:05:09.123+00:00 node-1 wafd 1 waf_event - ");
}

TEST(Rfc5424, EverySetting) {
  TargetSettings t;
  t.facility = 23;
  t.hostname = "gw";
  t.app_name = "app";
  t.time_precision = 6;
  t.bom = true;
  EXPECT_EQ(write(t, "waf_gap", 2147483647, "n", "Asia/Kolkata"),
            "<190>1 2026-01-31T17:35:09.123456+05:30 gw app 1 waf_gap [meta sequenceId=\"2147483647\"] "
            "\xef\xbb\xbf");
}

TEST(Rfc5424, ZonesAndTheirChanges) {
  const auto at = [](std::string_view zone, std::int64_t s) {
    return write({}, "m", 0, "n", zone, s * 1'000'000).substr(6, 29);
  };
  EXPECT_EQ(at("America/New_York", 1772953199), "2026-03-08T01:59:59.000-05:00");
  EXPECT_EQ(at("America/New_York", 1772953200), "2026-03-08T03:00:00.000-04:00");
  EXPECT_EQ(at("Asia/Shanghai", 0), "1970-01-01T08:00:00.000+08:00");
  EXPECT_EQ(at("UTC", -1), "1969-12-31T23:59:59.000+00:00");
  ASSERT_FALSE(ZoneTime::of("Mars/Olympus"));
  EXPECT_EQ(ZoneTime::of("Mars/Olympus").error().what,
            "time_zone: no such zone \"Mars/Olympus\" on this machine");
}

TEST(Rfc5424, FieldsAreSanitised) {
  EXPECT_EQ(header_field("", 10), "-");
  EXPECT_EQ(header_field("a b\nc\x7f\xc3\xa9", 10), "a?b?c???");
  EXPECT_EQ(header_field("abcdef", 3), "abc");
  TargetSettings t;
  t.app_name = std::string(60, 'a');
  const auto m =
      test::StrictParser::parse(write(t, std::string(40, 'm'), 0, "n\r\n<1>x " + std::string(300, 'h')));
  EXPECT_EQ(m.error, "");
  EXPECT_EQ(m.hostname.size(), 255u);
  EXPECT_EQ(m.app_name.size(), 48u);
  EXPECT_EQ(m.msgid.size(), 32u);
}

TEST(Rfc5424, SequenceIdsWrap) {
  EXPECT_EQ(next_sequence_id(0), 1u);
  EXPECT_EQ(next_sequence_id(2147483646), 2147483647u);
  EXPECT_EQ(next_sequence_id(2147483647), 1u);
}

TEST(Rfc3164, Line) {
  TargetSettings t;
  t.header = HeaderFormat::kRfc3164;
  EXPECT_EQ(write(t), "<30>Jan 31 12:05:09 node-1 wafd[1]: ");
  t.app_name = "a:b[c]";
  EXPECT_EQ(write(t, "", 0, "n", "UTC", 1'767'398'400'000'000), "<30>Jan  3 00:00:00 n a_b_c_[1]: ");
}

TEST(Rfc3164, EveryHeaderIsSoundForAStrictParser) {
  for (const std::string_view zone : {"UTC", "Asia/Kolkata", "America/New_York"})
    for (const std::int64_t time : {0LL, 1'767'398'400'000'000LL, kTime + 0LL, 1'772'953'200'000'000LL}) {
      TargetSettings t;
      t.header = HeaderFormat::kRfc3164;
      t.facility = 23;
      t.app_name = std::string(48, 'a');
      const auto m =
          test::parse_bsd(write(t, "waf_event", 7, "n\r\n<1>x [y]: " + std::string(300, 'h'), zone, time));
      EXPECT_EQ(m.error, "");
      EXPECT_EQ(m.pri, 190);
      EXPECT_EQ(m.host.size(), 255u);
      EXPECT_EQ(m.tag, std::string(32, 'a'));
      EXPECT_EQ(m.pid, "1");
      EXPECT_EQ(m.msg, "");
    }
  EXPECT_EQ(test::parse_bsd("<30>Jan  3 13:05:09 h t[1]: m").error, "");
  for (const char* bad :
       {"<030>Jan  3 13:05:09 h t[1]: m", "<30>Jan 03 13:05:09 h t[1]: m", "<30>jan  3 13:05:09 h t[1]: m",
        "<30>Jan  3 24:05:09 h t[1]: m", "<30>Jan  3 13:05:09 t[1]: m", "<30>Jan  3 13:05:09 h t: m"})
    EXPECT_NE(test::parse_bsd(bad).error, "") << bad;
}

TEST(StrictParser, RefusesWhatTheGrammarDoesNotKnow) {
  const char* good = "<0>1 2026-01-31T12:05:09.1Z - - - - [a b=\"c\\]\\\"\"][d] x";
  EXPECT_EQ(test::StrictParser::parse(good).error, "");
  EXPECT_EQ(test::StrictParser::parse(good).sd[0].params[0].second, "c]\"");
  for (const char* bad :
       {"<00>1 2026-01-31T12:05:09Z - - - - -", "<192>1 2026-01-31T12:05:09Z - - - - -",
        "<1>2 2026-01-31T12:05:09Z - - - - -", "<1>1 2026-01-31 12:05:09Z - - - - -",
        "<1>1 2026-01-31T12:05:60Z - - - - -", "<1>1 2026-01-31T12:05:09.1234567Z - - - - -",
        "<1>1 2026-01-31T12:05:09Z  - - - -", "<1>1 2026-01-31T12:05:09Z - - - -",
        "<1>1 2026-01-31T12:05:09Z - - - - [a b=\"c]\"]", "<1>1 2026-01-31T12:05:09Z - - - - -x"})
    EXPECT_NE(test::StrictParser::parse(bad).error, "") << bad;
}

}  // namespace
}  // namespace wafd::forward
