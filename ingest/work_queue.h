// Requests that nobody waits for: mirrored and recorded ones, judged in slices between the turns of the loop.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "ingest/judge.h"
#include "ingest/owned_request.h"

namespace wafd::ingest {

struct WorkItem {
  OwnedRequest request;
  std::string violation;       // if set, judged as a violation for this reason
  std::function<void()> done;  // after it was judged; may be empty
};

// `done` is for the caller to call.
void judge_item(WorkItem& item, RequestJudge& judge, const TimeLimit& limit = {});

// Bounded by bytes. One thread.
class WorkQueue {
 public:
  explicit WorkQueue(std::size_t max_bytes) noexcept : max_bytes_(max_bytes) {}

  // False, and nothing is taken: the queue is full.
  bool push(WorkItem item);
  // Beyond the bound, for a sender that is held back by other means.
  void push_anyway(WorkItem item);

  // A request of more bytes takes longer than a slice: it is for a thread on which nobody waits.
  static constexpr std::size_t kSmallBytes = 16u << 10;

  // Judges small requests until `slice_us` has passed, none is left or a large one is next. True if some are
  // left.
  bool run_slice(RequestJudge& judge, const Clock& clock, std::int64_t slice_us);
  // The next request is large.
  bool large_waits() const noexcept {
    return !items_.empty() && items_.front().request.bytes() > kSmallBytes;
  }
  // The next request; none: nothing. Judged by judge_item().
  std::optional<WorkItem> take();

  std::size_t size() const noexcept { return items_.size(); }
  bool empty() const noexcept { return items_.empty(); }
  std::size_t bytes() const noexcept { return bytes_; }

  // Called when the first item comes into an empty queue. Set before use; may be empty.
  std::function<void()> on_work;

 private:
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::deque<WorkItem> items_;
};

}  // namespace wafd::ingest
