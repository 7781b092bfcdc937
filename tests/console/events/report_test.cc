#include "console/events/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wafd::console {
namespace {

using ::testing::ElementsAre;

TEST(Report, TheWeekIsToldOnMondaysFromEightOn) {
  struct Row {
    const char* local;
    bool told;
  };
  constexpr Row kRows[] = {
      {"2026-02-02T08:00:00.000+01:00", true},
      {"2026-02-02T23:59:59.000+01:00", true},
      {"2026-02-02T07:59:59.000+01:00", false},
      {"", false},
  };
  for (const Row& row : kRows) {
    ReportWeek week;
    EXPECT_EQ(week_of_report(1'770'000'000'000, row.local, week), row.told) << row.local;
  }
  ReportWeek week;
  ASSERT_TRUE(week_of_report(1'770'015'600'000, "2026-02-02T08:00:00.000+01:00", week));
  EXPECT_EQ(week.id, "report-2026-02-02");
  EXPECT_EQ(week.title.english, "report of the week from 2026-01-26 to 2026-02-01");
  EXPECT_EQ(week.to_ms, 1'770'015'600'000 - 8 * 3'600'000);
  EXPECT_EQ(week.from_ms, week.to_ms - 7 * 24 * 3'600'000ll);
  EXPECT_EQ(week.due_ms, 1'770'015'600'000);
  EXPECT_FALSE(week.late);
}

TEST(Report, AfterMondayItIsTheSameWeekAndLate) {
  ReportWeek monday;
  ASSERT_TRUE(week_of_report(1'770'015'600'000, "2026-02-02T08:00:00.000+01:00", monday));
  constexpr std::int64_t kDayMs = 24 * 3'600'000ll;
  const std::pair<int, const char*> days[] = {{1, "2026-02-03T08:00:00.000+01:00"},
                                              {6, "2026-02-08T08:00:00.000+01:00"}};
  for (const auto& [later, local] : days) {
    ReportWeek week;
    ASSERT_TRUE(week_of_report(1'770'015'600'000 + later * kDayMs, local, week));
    EXPECT_TRUE(week.late);
    EXPECT_EQ(week.id, monday.id);
    EXPECT_EQ(week.title, monday.title);
    EXPECT_EQ(week.to_ms, monday.to_ms);
    EXPECT_EQ(week.due_ms, monday.due_ms);
  }
}

TEST(Report, NamesWhatPeopleKnowAndComparesWithBefore) {
  forward::TrendSums now, before;
  now.requests = 100;
  now.events = {1, 2, 30};
  now.types["sqli"] = {0, 0, 30};
  now.types["xss"] = {1, 2, 0};
  now.sites["0"] = {1, 2, 30};
  now.rules["m_sqli/1"] = {0, 0, 30};
  before.requests = 90;
  before.events = {0, 0, 10};
  ReportNames names;
  names.site = [](std::string_view) { return std::string("Shop"); };
  names.rule = [](std::string_view) { return std::string("Tautology"); };
  std::vector<std::string> english;
  for (const auto& line : report_lines(now, before, names)) {
    english.push_back(line.english);
    EXPECT_NE(line.chinese, line.english);
  }
  EXPECT_THAT(english, ElementsAre("Requests: 100 (the week before: 90)", "Blocked: 30 (the week before: 10)",
                                   "Would have been blocked: 2 (the week before: 0)",
                                   "Passed unjudged: 0 (the week before: 0)", "Attack type sqli: 30",
                                   "Attack type xss: 3", "Site Shop: 33", "Rule Tautology: 30"));
  const auto json = report_json({}, now, before, names);
  EXPECT_EQ(json.at("types").at(0).at("value"), "sqli");
  EXPECT_EQ(json.at("rules").at(0).at("name"), "Tautology");
  EXPECT_EQ(json.at("totals").at("deny"), 30u);
  EXPECT_EQ(json.at("before").at("deny"), 10u);
  EXPECT_TRUE(json.at("begins_ms").is_null());
}

}  // namespace
}  // namespace wafd::console
