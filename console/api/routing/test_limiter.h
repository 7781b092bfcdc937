// How often what people configure may be tried: each try connects to where they say.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace wafd::console {

// One at a time, six a minute. Times are of a clock that does not jump.
class TestLimiter {
 public:
  static constexpr std::size_t kPerMinute = 6;
  static constexpr std::int64_t kMinuteMs = 60'000;

  // Seconds to wait; 0: begun, call end().
  std::int64_t begin(std::int64_t now_ms) {
    while (!begun_.empty() && now_ms - begun_.front() >= kMinuteMs) begun_.pop_front();
    if (running_) return 1;
    if (begun_.size() >= kPerMinute)
      return std::clamp<std::int64_t>((begun_.front() + kMinuteMs - now_ms + 999) / 1000, 1,
                                      kMinuteMs / 1000);
    begun_.push_back(now_ms);
    running_ = true;
    return 0;
  }
  void end() noexcept { running_ = false; }

 private:
  std::deque<std::int64_t> begun_;
  bool running_ = false;
};

}  // namespace wafd::console
