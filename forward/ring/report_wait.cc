#include "forward/ring/report_wait.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kClockStepMs = 1000;

}  // namespace

ReportDecision decide_report(const RecordView& record, std::int64_t wait_ms, std::int64_t now_ms) noexcept {
  if (wait_ms <= 0) return {};
  if (record.reported) {
    const bool in_time = record.report_time_ms != 0 && record.report_time_ms - record.time_ms <= wait_ms;
    return {in_time ? ReportStep::kMerged : ReportStep::kPlain, 0};
  }
  if (!record.report_expected || record.time_ms > now_ms + kClockStepMs) return {};
  const std::int64_t left = record.time_ms + wait_ms + kReportGraceMs - now_ms;
  if (left <= 0) return {};
  return {ReportStep::kHold, left};
}

}  // namespace wafd::forward
