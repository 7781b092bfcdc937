#include "forward/replay_window.h"

#include <algorithm>

namespace wafd::forward {

void ReplayWindow::written(std::uint64_t octets, Position behind) {
  octets_ += octets;
  marks_.push_back({octets_, behind, 0});
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
  const bool calm = peer_window == largest_window_;
  if (calm && calm_) calm_us_ += now_us - last_seen_us_;
  calm_ = calm;
  last_seen_us_ = now_us;

  const std::size_t before = acked_marks_;
  while (acked_marks_ < marks_.size() && marks_[acked_marks_].end <= acked)
    marks_[acked_marks_++].acked_at_us = calm_us_;
  const std::uint64_t newly = acked_marks_ - before;

  const std::uint64_t keep = std::max(options_.min_octets, 2 * largest_window_);
  while (acked_marks_ > 0) {
    const Mark& first = marks_.front();
    const bool beyond = acked >= keep && first.end <= acked - keep;
    if (!beyond && calm_us_ - first.acked_at_us < options_.max_age_us) break;
    pop();
  }
  return newly;
}

void ReplayWindow::settle_acknowledged() {
  while (acked_marks_ > 0) pop();
}

void ReplayWindow::pop() {
  settled_ = marks_.front().behind;
  marks_.pop_front();
  --acked_marks_;
}

}  // namespace wafd::forward
