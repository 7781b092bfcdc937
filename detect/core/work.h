// What judging one request may cost, counted in octets handled and never in time, so that a verdict is the
// same everywhere.
#pragma once

#include <cstdint>

namespace wafd::detect {

// Units are about a nanosecond on today's machines.
class Work {
 public:
  static constexpr std::uint64_t kTotalUnits = 6u << 20;
  // What decodings beyond those of the places themselves may use up: values as they stand always come first.
  static constexpr std::uint64_t kDeepUnits = 4u << 20;

  // A unit an octet for looking at it in the gate.
  static constexpr std::uint64_t kDecodeUnits = 3;    // an octet given to a decoder
  static constexpr std::uint64_t kAnalyzeUnits = 12;  // an octet given to an analyser

  static constexpr std::uint64_t kTextUnits = 100;  // each text on its way through the gate
  static constexpr std::uint64_t kCallUnits = 300;  // each call of an analyser

  void begin() noexcept { used_ = 0; }
  std::uint64_t used() const noexcept { return used_; }
  void add(std::uint64_t units) noexcept { used_ += units; }
  bool may(std::uint64_t units) const noexcept { return used_ + units <= kTotalUnits; }
  // Whether what takes `units` in all is free of limits.
  bool may_decode_after(std::uint64_t units) const noexcept { return used_ + units <= kDeepUnits; }
  bool may_decode(std::uint64_t octets) const noexcept { return used_ + octets * kDecodeUnits <= kDeepUnits; }

 private:
  std::uint64_t used_ = 0;
};

}  // namespace wafd::detect
