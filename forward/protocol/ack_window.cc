#include "forward/protocol/ack_window.h"

#include <algorithm>

namespace wafd::forward {

std::uint64_t AckWindow::sent(std::uint64_t bytes) {
  marks_.push_back({bytes, State::kWaiting});
  ++waiting_;
  sent_bytes_ += bytes;
  return first_ + marks_.size() - 1;
}

bool AckWindow::taken(std::uint64_t id) { return answer(id, State::kTaken); }
bool AckWindow::refused(std::uint64_t id) { return answer(id, State::kRefused); }

bool AckWindow::answer(std::uint64_t id, State state) {
  if (id < first_ || id - first_ >= marks_.size()) return false;
  Mark& mark = marks_[id - first_];
  if (mark.state != State::kWaiting) return false;
  mark.state = state;
  --waiting_;
  if (state == State::kTaken) behind_taken_ = std::max(behind_taken_, id + 1);
  while (!marks_.empty()) {
    const Mark& front = marks_.front();
    const bool poison = front.state == State::kRefused && first_ < behind_taken_;
    if (front.state != State::kTaken && !poison) break;
    if (poison) ++rejected_;
    settled_bytes_ += front.bytes;
    marks_.pop_front();
    ++first_;
  }
  return true;
}

}  // namespace wafd::forward
