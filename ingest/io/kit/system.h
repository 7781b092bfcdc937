// The operating system's clock and random numbers behind the interfaces that pure code takes.
#pragma once

#include "detect/core/clock.h"

namespace wafd::kit {

// monotonic_us() has the origin of Loop::turn_start_us(), so that ages can be told.
class SystemClock final : public Clock {
 public:
  std::int64_t unix_us() const noexcept override;
  std::int64_t monotonic_us() const noexcept override;
};

// OpenSSL's generator. If that cannot be seeded the process ends: an event id must never repeat.
class SystemRandom final : public Random {
 public:
  void fill(std::span<std::byte> out) noexcept override;
};

}  // namespace wafd::kit
