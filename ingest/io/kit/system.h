// The operating system's clock and random numbers behind the interfaces that pure code takes.
#pragma once

#include <vector>

#include "detect/core/clock.h"
#include "detect/core/ip_address.h"

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

// Whether the process, or the machine, has no descriptor left for one more file or connection. libuv then
// closes what comes in without a word.
bool out_of_descriptors() noexcept;

// Addresses of this machine's interfaces now. Empty: the system does not tell.
// `loopback`: those of loopback interfaces too.
std::vector<IpAddress> local_addresses(bool loopback = true);

}  // namespace wafd::kit
