#include <gtest/gtest.h>

#include "forward/trend/trend_counts.h"
#include "forward/trend/trend_file.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kStart = 472'222 * kHourMs;  // a whole hour

RecordView record(std::int64_t time_ms, std::string_view rule = "m_sqli/1",
                  AttackType type = AttackType::kSqli, Action action = Action::kDeny,
                  std::string_view site = "0") {
  RecordView out;
  out.time_ms = time_ms;
  out.rule_id = rule;
  out.site_uuid = site;
  out.attack_type = type;
  out.action = action;
  return out;
}

TrendSums sums(const TrendCounts& counts, std::int64_t hours = 24, TrendQuery query = {}) {
  query.from_ms = kStart;
  query.to_ms = kStart + hours * kHourMs;
  return counts.sums(query);
}

constexpr auto kDeny = static_cast<std::size_t>(Action::kDeny);

TEST(Trends, CountByHourSiteTypeActionAndRule) {
  TrendCounts counts;
  counts.add(record(kStart));
  counts.add(record(kStart + kHourMs - 1));
  counts.add(record(kStart + kHourMs, "m_xss/2", AttackType::kXss, Action::kMonitor, "7"));
  counts.add(record(kStart - 1));  // before the span
  counts.add_requests(kStart, 100, 3);
  const TrendSums all = sums(counts);
  EXPECT_EQ(all.bucket_ms, kHourMs);
  ASSERT_EQ(all.buckets.size(), 24u);
  EXPECT_EQ(all.buckets[0].requests, 100u);
  EXPECT_EQ(all.buckets[0].events[kDeny], 2u);
  EXPECT_EQ(all.buckets[1].events[static_cast<std::size_t>(Action::kMonitor)], 1u);
  EXPECT_EQ(all.unjudged, 3u);
  EXPECT_EQ(all.types.at("sqli")[kDeny], 2u);
  EXPECT_EQ(all.sites.at("7")[static_cast<std::size_t>(Action::kMonitor)], 1u);
  EXPECT_EQ(all.rules.at("m_sqli/1")[kDeny], 2u);
  EXPECT_EQ(all.begins_ms, kStart - kHourMs);

  struct Row {
    TrendQuery query;
    std::uint64_t events;
  };
  TrendQuery site, rule, type, action, none;
  site.site = "7";
  rule.rule = "m_sqli/1";
  type.type = "xss";
  action.action = "monitor";
  none.site = "8";
  for (const Row& row : {Row{site, 1}, Row{rule, 2}, Row{type, 1}, Row{action, 1}, Row{none, 0}}) {
    const TrendSums some = sums(counts, 24, row.query);
    EXPECT_EQ(some.events[0] + some.events[1] + some.events[2], row.events);
  }
}

TEST(Trends, LongSpansAreCountedByDayAndEndAtAYear) {
  TrendCounts counts;
  for (int hour = 0; hour < 48; ++hour) counts.add(record(kStart + hour * kHourMs));
  const TrendSums month = sums(counts, 30 * 24);
  ASSERT_EQ(month.buckets.size(), 30u);
  EXPECT_EQ(month.buckets[0].events[kDeny], 24u);
  EXPECT_EQ(month.buckets[1].events[kDeny], 24u);
  TrendQuery ever;
  ever.to_ms = kStart;
  EXPECT_LE(counts.sums(ever).buckets.size(), 366u);
}

TEST(Trends, AnHourHasALimitAndLosesNoCount) {
  TrendCounts counts;
  for (int i = 0; i < 500; ++i) counts.add(record(kStart, "rule/" + std::to_string(i)));
  counts.add(record(kStart, "one/more", AttackType::kXss, Action::kMonitor));
  const TrendSums all = sums(counts);
  EXPECT_EQ(all.events[kDeny], 500u);
  EXPECT_EQ(all.events[static_cast<std::size_t>(Action::kMonitor)], 1u);
  EXPECT_EQ(all.rules.at("")[kDeny], 500 - TrendCounts::kMaxEntries);
  EXPECT_LE(counts.hours().begin()->second.entries.size(), TrendCounts::kMaxEntries + kActions);
}

TEST(Trends, NamesHaveALimitAndAYearIsKept) {
  TrendCounts counts;
  for (std::size_t i = 0; i < TrendCounts::kHours + 100; ++i)
    counts.add(record(kStart + static_cast<std::int64_t>(i) * kHourMs, std::to_string(i)));
  EXPECT_EQ(counts.hours().size(), TrendCounts::kHours);
  EXPECT_EQ(counts.names().size(), TrendCounts::kMaxNames);
  EXPECT_EQ(counts.hours().begin()->first, kStart / kHourMs + 100);
}

TrendCounts some_counts() {
  TrendCounts counts;
  counts.generation = "abc";
  counts.next_seq = 77;
  for (int i = 0; i < 300; ++i)
    counts.add(record(kStart + i % 7 * kHourMs, "r" + std::to_string(i % 90), static_cast<AttackType>(i % 23),
                      static_cast<Action>(i % 3), std::to_string(i % 5)));
  counts.add_requests(kStart + 9 * kHourMs, 5, 1);
  return counts;
}

TEST(TrendFile, ReadsWhatItWrites) {
  const TrendCounts counts = some_counts();
  const std::string bytes = trend_file(counts);
  const auto again = parse_trend_file(bytes);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(trend_file(*again), bytes);
  EXPECT_EQ(again->next_seq, 77u);
  EXPECT_EQ(again->generation, "abc");
  EXPECT_EQ(sums(*again).rules, sums(counts).rules);
  TrendCounts more = *again;
  more.add(record(kStart, "r1", AttackType::kXss, Action::kMonitor, "1"));
  EXPECT_EQ(more.names().size(), counts.names().size()) << "known names are found again";
}

TEST(TrendFile, EveryDamageIsSeen) {
  const std::string bytes = trend_file(some_counts());
  for (std::size_t size = 0; size < bytes.size(); size += size < 64 ? 1 : 97)
    EXPECT_FALSE(parse_trend_file(std::string_view(bytes).substr(0, size))) << size;
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 ? 1 : 97) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0x10);
    EXPECT_FALSE(parse_trend_file(other)) << at;
  }
  EXPECT_FALSE(parse_trend_file(bytes + "x"));
  std::string newer = bytes;
  newer[10] = 2;
  EXPECT_EQ(parse_trend_file(newer).error().code, ErrorCode::kUnknown);
}

// As forward/trend/README.md says it: a year in which every hour is full.
TEST(TrendFile, IsSmall) {
  TrendCounts counts;
  for (std::size_t hour = 0; hour < TrendCounts::kHours; ++hour)
    for (int i = 0; i < 70; ++i)
      counts.add(record(kStart + static_cast<std::int64_t>(hour) * kHourMs, "rule/" + std::to_string(i),
                        AttackType::kSqli, static_cast<Action>(i % 3)));
  const std::size_t size = trend_file(counts).size();
  EXPECT_LT(size, 6'600'000u);
  EXPECT_GT(size, 5'000'000u);
}

}  // namespace
}  // namespace wafd::forward
