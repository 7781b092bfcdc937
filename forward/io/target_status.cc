// TargetRunner's reports: status, the line for the log, counters that outlive an edit.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "forward/io/producers/producer.h"
#include "forward/io/target_runner.h"

namespace wafd::forward {

TargetStatus TargetRunner::status() {
  TargetCounters c = machine_.counters();
  TargetStatus s;
  s.id = target_.id;
  s.state = target_.enabled ? to_string(machine_.state()) : "disabled";
  if (link_ && link_->is_up()) s.connected_to = link_->peer().text();
  if (producer_) {  // it connects by itself
    s.connected_to = producer_->peer();
    if (machine_.state() == TargetState::kUp && producer_->peer().empty())
      s.state = to_string(TargetState::kConnecting);
    if (!producer_->last_error().empty()) c.last_error = producer_->last_error();
  }
  s.cursor = machine_.settled().seq;
  const std::uint64_t next = machine_.next().seq, end = parts_.ring.end();
  if (wants_events_ && next < end) {
    RingReader peek(parts_.ring);
    peek.seek(next);
    // A target that is down or disabled notices what the ring overtakes only when it goes on: it is told here
    // already.
    const std::uint64_t oldest = std::clamp(parts_.ring.oldest(), next, end);
    s.lag_events = end - oldest;
    if (oldest > next) c.add_lost(next, oldest - 1);
    std::uint64_t overtaken = 0;
    if (const auto first = peek.read(1, 1, overtaken); !first.empty())
      s.lag_ms = std::max<std::int64_t>(parts_.clock.unix_us() / 1000 - first[0].time_ms, 0);
  }
  s.unacknowledged = machine_.unacknowledged();
  s.unacknowledged_ms = machine_.unacknowledged_us(parts_.clock.monotonic_us()) / 1000;
  s.sent = c.sent;
  s.acknowledged = c.acknowledged;
  s.resent = c.resent;
  s.truncated = c.truncated;
  s.filtered = c.filtered;
  s.rejected = c.rejected;
  s.lost = c.lost;
  s.lost_ranges = std::move(c.lost_ranges);
  s.bytes = c.bytes;
  s.reconnects = c.reconnects;
  s.lines_lost = c.lines_lost;
  s.errors = c.errors;
  s.last_error = c.last_error;
  s.last_error_ms = last_error_ms_;
  s.last_sent_ms = last_sent_ms_;
  return s;
}

bool TargetRunner::trouble() const noexcept {
  if (producer_ && machine_.state() == TargetState::kUp)
    return producer_->peer().empty() && !producer_->last_error().empty();
  const bool well = machine_.state() == TargetState::kUp || machine_.state() == TargetState::kIdle;
  return !well && !machine_.counters().last_error.empty();
}

std::string TargetRunner::summary() const {
  switch (machine_.state()) {
    case TargetState::kUp:
      if (producer_ && producer_->peer().empty()) return fmt::format("down, {}", producer_->last_error());
      return fmt::format("up, {}", producer_ ? producer_->peer() : link_->peer().text());
    case TargetState::kIdle:
      return "disabled";
    default:
      return machine_.counters().last_error.empty() ? "connecting"
                                                    : fmt::format("down, {}", machine_.counters().last_error);
  }
}

void TargetRunner::adopt_counters(const TargetRunner& other) {
  machine_.adopt(other.machine_);
  last_error_ms_ = other.last_error_ms_;
  last_sent_ms_ = other.last_sent_ms_;
  last_event_ms_ = other.last_event_ms_;
  extras_ = other.extras_;
  extras_.insert(extras_.begin(), other.extras_sent_.begin(), other.extras_sent_.end());
}

}  // namespace wafd::forward
