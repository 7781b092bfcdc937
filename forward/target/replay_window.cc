#include "forward/target/replay_window.h"

#include <algorithm>
#include <utility>

namespace wafd::forward {
namespace {

constexpr std::uint64_t kEpochWindows =
    4;  // bytes acknowledged but unread were measured at up to 2.7 windows
constexpr std::uint64_t kNear = 64;
constexpr int kCalm = 3;

}  // namespace

void ReplayWindow::written(std::uint64_t bytes, Position behind, std::int64_t now_us) {
  bytes_ += bytes;
  marks_.push_back({bytes_, behind, now_us});
}

std::optional<std::int64_t> ReplayWindow::unacknowledged_since_us() const {
  if (all_acknowledged()) return std::nullopt;
  return marks_[acked_marks_].at_us;
}

void ReplayWindow::skipped(Position behind) {
  if (marks_.empty())
    settled_ = behind;
  else
    marks_.back().behind = behind;
}

std::uint64_t ReplayWindow::acknowledged(std::uint64_t acked, std::uint64_t peer_window,
                                         std::int64_t now_us) {
  largest_window_ = std::max(largest_window_, peer_window);
  if (acked - epoch_begin_ >= kEpochWindows * largest_window_) {
    ceiling_before_ = std::exchange(ceiling_, 0);
    epoch_begin_ = acked;
  }
  ceiling_ = std::max(ceiling_, peer_window);
  const std::uint64_t ceiling = std::max(ceiling_, ceiling_before_);
  const int calm = peer_window == ceiling ? kCalm : ceiling - peer_window <= ceiling / kNear ? 1 : 0;
  calm_us_ += (now_us - last_seen_us_) * std::min(calm, calm_) / kCalm;
  calm_ = calm;
  last_seen_us_ = now_us;

  const std::size_t before = acked_marks_;
  while (acked_marks_ < marks_.size() && marks_[acked_marks_].end <= acked)
    marks_[acked_marks_++].at_us = calm_us_;
  const std::uint64_t newly = acked_marks_ - before;

  const std::uint64_t keep = std::max(options_.min_bytes, 2 * largest_window_);
  while (acked_marks_ > 0) {
    const Mark& first = marks_.front();
    const bool beyond = acked >= keep && first.end <= acked - keep;
    if (!beyond && calm_us_ - first.at_us < options_.max_age_us) break;
    pop();
  }
  return newly;
}

void ReplayWindow::settle_acknowledged() {
  while (acked_marks_ > 0) pop();
}

void ReplayWindow::pop() {
  settled_ = marks_.front().behind;
  settled_bytes_ = marks_.front().end;
  marks_.pop_front();
  --acked_marks_;
}

}  // namespace wafd::forward
