#include "ingest/work_queue.h"

#include <utility>

namespace wafd::ingest {

void judge_item(WorkItem& item, RequestJudge& judge, const TimeLimit& limit) {
  const auto request = item.request.view();
  judge.named(item.request.request_id);
  if (item.violation.empty()) {
    judge.judge(request, Enforcement::kMirror, limit);
  } else {
    judge.violation(request, Enforcement::kMirror, std::move(item.violation), limit);
  }
}

bool WorkQueue::push(WorkItem item) {
  if (!items_.empty() && bytes_ + item.request.bytes() > max_bytes_) return false;
  push_anyway(std::move(item));
  return true;
}

void WorkQueue::push_anyway(WorkItem item) {
  bytes_ += item.request.bytes();
  items_.push_back(std::move(item));
  if (items_.size() == 1 && on_work) on_work();
}

std::optional<WorkItem> WorkQueue::take() {
  if (items_.empty()) return std::nullopt;
  WorkItem item = std::move(items_.front());
  items_.pop_front();
  bytes_ -= item.request.bytes();
  return item;
}

bool WorkQueue::run_slice(RequestJudge& judge, const Clock& clock, std::int64_t slice_us) {
  const auto begin_us = clock.monotonic_us();
  while (!empty() && !large_waits()) {
    auto item = take();
    judge_item(*item, judge);
    if (item->done) item->done();
    if (clock.monotonic_us() - begin_us >= slice_us) break;
  }
  return !empty();
}

}  // namespace wafd::ingest
