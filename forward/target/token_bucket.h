// A rate limit that delays: so many a second, so many at once.
#pragma once

#include <algorithm>
#include <cstdint>

namespace wafd::forward {

// Time is an argument, microseconds on any monotonic origin. rate 0: no limit.
class TokenBucket {
 public:
  static constexpr std::uint64_t kUnlimited = UINT64_MAX;

  TokenBucket(std::uint32_t per_second, std::uint32_t burst)
      : rate_(per_second), burst_micro_(std::int64_t{burst} * 1'000'000), micro_(burst_micro_) {}

  std::uint64_t available(std::int64_t now_us) {
    if (rate_ == 0) return kUnlimited;
    refill(now_us);
    return static_cast<std::uint64_t>(micro_ / 1'000'000);
  }
  void take(std::uint64_t n) {
    if (rate_ != 0) micro_ -= static_cast<std::int64_t>(n) * 1'000'000;
  }
  // When the next token will be there, given that none is now.
  std::int64_t ready_at(std::int64_t now_us) const {
    return rate_ == 0 || micro_ >= 1'000'000 ? now_us : now_us + (1'000'000 - micro_ + rate_ - 1) / rate_;
  }

 private:
  void refill(std::int64_t now_us) {
    if (seen_us_ == INT64_MIN) seen_us_ = now_us;
    const std::int64_t elapsed =
        std::min<std::int64_t>(now_us - seen_us_, 10'000'000);  // keeps the product small
    if (elapsed <= 0) return;
    micro_ = std::min(burst_micro_, micro_ + elapsed * rate_);
    seen_us_ = now_us;
  }

  std::int64_t rate_;         // tokens a second = millionths of a token a microsecond
  std::int64_t burst_micro_;  // in millionths of a token
  std::int64_t micro_;
  std::int64_t seen_us_ = INT64_MIN;
};

}  // namespace wafd::forward
