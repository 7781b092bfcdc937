// When what failed is tried again: after what the receiver says (Retry-After), else after a time that doubles
// with each failure, its latter half by chance, so that many nodes do not come at once. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "detect/core/clock.h"

namespace wafd::telemetry {

class Backoff {
 public:
  static constexpr std::int64_t kFirstMs = 1'000;
  static constexpr std::int64_t kMostMs = 60'000;
  static constexpr std::int64_t kMostRetryAfterS = 600;  // a receiver that says more is asked then

  explicit Backoff(Random& random) : random_(random) {}

  // Milliseconds from now.
  std::int64_t failed(std::optional<std::int64_t> retry_after_s) noexcept;
  void succeeded() noexcept { next_ms_ = kFirstMs; }

 private:
  Random& random_;
  std::int64_t next_ms_ = kFirstMs;
};

}  // namespace wafd::telemetry
