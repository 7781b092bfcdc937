#include "forward/ring/report_wait.h"

#include <gtest/gtest.h>

#include "forward/query/event_query.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kEvent = 1'760'000'000'000;

TEST(ReportWait, Table) {
  struct Row {
    const char* name;
    std::int64_t wait_ms, age_ms;
    bool expected, reported;
    std::int64_t report_after_ms;  // behind the event
    ReportStep step;
    std::int64_t hold_ms;
  };
  const auto kPlain = ReportStep::kPlain, kMerged = ReportStep::kMerged, kHold = ReportStep::kHold;
  const Row rows[] = {
      {"no waiting", 0, 5, true, false, 0, kPlain, 0},
      {"no waiting, and a report is there", 0, 5, true, true, 1, kPlain, 0},
      {"waits", 100, 0, true, false, 0, kHold, 120},
      {"waits still", 100, 119, true, false, 0, kHold, 1},
      {"waited enough", 100, 120, true, false, 0, kPlain, 0},
      {"none was announced", 100, 0, false, false, 0, kPlain, 0},
      {"the report came", 100, 40, true, true, 30, kMerged, 0},
      {"one came unannounced", 100, 40, false, true, 30, kMerged, 0},
      {"it came at the last moment", 100, 101, true, true, 100, kMerged, 0},
      {"it came too late", 100, 101, true, true, 101, kPlain, 0},
      {"sent again a day later, in time", 100, 86'400'000, true, true, 99, kMerged, 0},
      {"sent again a day later, too late", 100, 86'400'000, true, true, 101, kPlain, 0},
      {"the clock was set back a little", 100, -1000, true, false, 0, kHold, 1120},
      {"the clock was set back far", 100, -1001, true, false, 0, kPlain, 0},
      {"set back between event and report", 100, 5, true, true, -50, kMerged, 0},
  };
  for (const Row& row : rows) {
    RecordView record;
    record.time_ms = kEvent;
    record.report_expected = row.expected;
    record.reported = row.reported;
    record.report_time_ms = row.reported ? kEvent + row.report_after_ms : 0;
    const auto decision = decide_report(record, row.wait_ms, kEvent + row.age_ms);
    EXPECT_EQ(decision.step, row.step) << row.name;
    EXPECT_EQ(decision.hold_ms, row.hold_ms) << row.name;
  }
}

TEST(ReportWait, AReportOfUnknownTimeIsNotSent) {
  RecordView record;
  record.time_ms = kEvent;
  record.reported = true;  // stored by a version that kept no time
  EXPECT_EQ(decide_report(record, 60'000, kEvent).step, ReportStep::kPlain);
}

TEST(ReportWait, QueriesThatAskForReports) {
  const std::pair<const char*, bool> rows[] = {{"", false},
                                               {"type:sqli", false},
                                               {"status:503", true},
                                               {"-status:5*", true},
                                               {"type:sqli (host:a or -(status:1,2))", true},
                                               {"\"status:503\"", false}};
  for (const auto& [query, expected] : rows)
    EXPECT_EQ(EventQuery::parse(query).value().reads_report(), expected) << query;
}

}  // namespace
}  // namespace wafd::forward
