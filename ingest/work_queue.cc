#include "ingest/work_queue.h"

#include <utility>

namespace wafd::ingest {

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

bool WorkQueue::run_slice(RequestJudge& judge, const Clock& clock, std::int64_t slice_us) {
  const auto begin_us = clock.monotonic_us();
  while (!items_.empty()) {
    auto item = std::move(items_.front());
    items_.pop_front();
    bytes_ -= item.request.bytes();
    const auto request = item.request.view();
    if (item.violation.empty()) {
      judge.judge(request, Enforcement::kMirror);
    } else {
      judge.violation(request, Enforcement::kMirror, std::move(item.violation));
    }
    if (item.done) item.done();
    if (clock.monotonic_us() - begin_us >= slice_us) break;
  }
  return !items_.empty();
}

}  // namespace wafd::ingest
