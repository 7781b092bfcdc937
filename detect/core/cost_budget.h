// Cost limit of judging one request, counted in bytes and tokens handled and never in time, so that a verdict
// is the same everywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wafd::detect {

// Every field's own decoding is always judged, whatever it costs; that cost is bounded by the analysers,
// which are linear. All that is decoded further shares what those have left of the request's allowance; a few
// units a byte are there for each field in any case, so that no field uses up another's. Units are about a
// nanosecond on today's machines.
class CostBudget {
 public:
  static constexpr std::uint64_t kScanUnits = 3;    // a byte on its way through the prefilter
  static constexpr std::uint64_t kDecodeUnits = 3;  // a byte given to a decoder
  static constexpr std::uint64_t kAnalyzeUnits =
      2;                                            // a byte given to an analyser; its tokens (token_count.h)
  static constexpr std::uint64_t kTextUnits = 100;  // each text on its way through the prefilter
  static constexpr std::uint64_t kCallUnits = 300;  // each call of an analyser

  // What a request may cost: for each of its bytes, of the first ones twice, and beside that what a kilobyte
  // of an article takes whose quotes and entities are escaped once more, a text for each way to read it.
  static constexpr std::uint64_t kUnitsPerByte = 200;
  static constexpr std::size_t kFirstBytes = 8u << 10;
  static constexpr std::uint64_t kUnitsPerRequest = 1'500'000;
  // Of a field's further decodings, also if nothing is left of that.
  static constexpr std::uint64_t kOwnUnitsPerByte = 48;

  void begin_request() noexcept { used_ = left_ = allowed_ = 0; }
  // Of a request of so many bytes, those that came out of codings included.
  void allow(std::size_t bytes) noexcept {
    allowed_ = kUnitsPerRequest + (bytes + std::min(bytes, kFirstBytes)) * kUnitsPerByte;
  }
  // Before the further decodings of a field of so many bytes: what is left, and its own.
  void begin_field(std::size_t bytes) noexcept {
    left_ = allowed_ - std::min(allowed_, used_) + bytes * kOwnUnitsPerByte;
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
  std::uint64_t allowed_ = 0;
};

}  // namespace wafd::detect
