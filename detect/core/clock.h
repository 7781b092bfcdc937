// Time and randomness as arguments: pure code gets them from here, tests give their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace wafd {

// Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t unix_us() const noexcept = 0;       // wall clock, microseconds since 1970
  virtual std::int64_t monotonic_us() const noexcept = 0;  // never goes back; origin arbitrary
};

// Cryptographically strong bytes. Safe to call from any thread.
class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::byte> out) noexcept = 0;
};

}  // namespace wafd
