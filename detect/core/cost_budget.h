// Cost limit of judging one request, counted in bytes handled and never in time, so that a verdict is the
// same everywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wafd::detect {

// Every field's own decoding is always judged, whatever it costs; that cost is bounded by the analysers,
// which are linear. What is decoded further has a budget for each field, so that no field uses up another's.
// Units are about a nanosecond on today's machines.
class CostBudget {
 public:
  static constexpr std::uint64_t kScanUnits = 3;      // a byte on its way through the prefilter
  static constexpr std::uint64_t kDecodeUnits = 3;    // a byte given to a decoder
  static constexpr std::uint64_t kAnalyzeUnits = 12;  // a byte given to an analyser
  static constexpr std::uint64_t kTextUnits = 100;    // each text on its way through the prefilter
  static constexpr std::uint64_t kCallUnits = 300;    // each call of an analyser

  // Of a field's further decodings: for each of its bytes, and for each field out of what all of them share.
  static constexpr std::uint64_t kUnitsPerByte = 48;
  static constexpr std::uint64_t kUnitsPerField = 10'000'000;
  static constexpr std::uint64_t kSharedUnits = 20'000'000;

  void begin_request() noexcept {
    used_ = left_ = 0;
    shared_ = kSharedUnits;
  }
  // Before the further decodings of a field of so many bytes. What the field before left of its own is gone,
  // of what is shared it is given back.
  void begin_field(std::size_t bytes) noexcept {
    end_field();
    granted_ = std::min(kUnitsPerField, shared_);
    shared_ -= granted_;
    left_ = granted_ + bytes * kUnitsPerByte;
  }
  void end_field() noexcept {
    shared_ += std::min(granted_, left_);
    granted_ = left_ = 0;
  }

  // Work that is done in any case.
  void add(std::uint64_t units) noexcept { used_ += units; }
  // Of the present field's; false, and nothing is taken, if that is not there.
  bool take(std::uint64_t units) noexcept {
    if (units > left_) return false;
    left_ -= units;
    used_ += units;
    return true;
  }
  std::uint64_t used() const noexcept { return used_; }

 private:
  std::uint64_t used_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t granted_ = 0;
  std::uint64_t shared_ = 0;
};

}  // namespace wafd::detect
