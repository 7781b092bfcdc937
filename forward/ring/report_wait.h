// Whether a target sends an event at once, with its response report, or not yet.
#pragma once

#include <cstdint>

#include "forward/ring/ring.h"

namespace wafd::forward {

// A report that came in the last moment must be in the ring before anybody decides without it.
inline constexpr std::int64_t kReportGraceMs = 20;

enum class ReportStep : std::uint8_t {
  kPlain,   // as appended, without any report
  kMerged,  // with the report
  kHold,    // look again when a report came or `hold_ms` have passed
};

struct ReportDecision {
  ReportStep step = ReportStep::kPlain;
  std::int64_t hold_ms = 0;  // kHold: at least 1
};

// `wait_ms` is the target's wait_for_report_ms, `now_ms` Unix time. The answer for an event that is sent
// again is that of the first time: a report counts only if it came within `wait_ms` of the event, whenever it
// is looked at. Only events whose gateway announced a report are waited for. An event from the future (the
// clock was set back) is not waited for.
ReportDecision decide_report(const RecordView& record, std::int64_t wait_ms, std::int64_t now_ms) noexcept;

}  // namespace wafd::forward
