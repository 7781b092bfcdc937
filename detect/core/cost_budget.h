// Cost limit of judging one request, counted in bytes and tokens handled and never in time, so that a verdict
// is the same everywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wafd::detect {

// A request may cost so many units for each of its bytes and so many beside that, and no more: what is left
// then is not read, which the verdict says (`limit_reached`), and the site decides about it (`on_limit`).
// First come the fields' own decodings; all that is decoded further shares what those have left, of which a
// few units a byte are kept for each field, so that no field uses up another's. Units are about a nanosecond
// on today's machines: bytes and texts handed on are counted here, what readers do with them where their
// loops are (work_counter.h).
class CostBudget {
 public:
  static constexpr std::uint64_t kScanUnits = 3;    // a byte on its way through the prefilter
  static constexpr std::uint64_t kDecodeUnits = 3;  // a byte given to a decoder
  // A byte given to an analyser, beside its tokens (token_count.h).
  static constexpr std::uint64_t kAnalyzeUnits = 3;
  static constexpr std::uint64_t kFieldUnits = 200;  // each field
  static constexpr std::uint64_t kTextUnits = 100;  // each text on its way through the prefilter or a decoder
  static constexpr std::uint64_t kCallUnits = 150;  // each call of an analyser
  static constexpr std::uint64_t kHitUnits = 500;   // each finding, merged into another or not

  // The budget of a request. The heaviest of ordinary use for their size are texts of 1 to 20 KB: pages with
  // several kinds of escapes, messages of URLs, programs in a form (bench/detect/README.md says how far they
  // stay below). Longer ones cost less a byte.
  static constexpr std::uint64_t kUnitsPerRequest = 700'000;
  static constexpr std::uint64_t kUnitsPerByte = 260;
  static constexpr std::uint64_t kUnitsPerFirstByte = 400;  // instead, of so many bytes:
  static constexpr std::size_t kFirstBytes = 32u << 10;
  static constexpr std::uint64_t limit_of(std::size_t bytes) noexcept {
    return kUnitsPerRequest + bytes * kUnitsPerByte +
           std::min(bytes, kFirstBytes) * (kUnitsPerFirstByte - kUnitsPerByte);
  }
  // Of a field's further decodings, kept for it while others are decoded.
  static constexpr std::uint64_t kOwnUnitsPerByte = 48;

  void begin_request() noexcept { used_ = left_ = allowed_ = kept_ = 0; }
  // Of a request of so many bytes, those that came out of codings included.
  void allow(std::size_t bytes) noexcept { allowed_ = limit_of(bytes); }
  // Nothing more is read.
  bool exhausted() const noexcept { return used_ >= allowed_; }

  // Before the further decodings of fields of so many bytes in all; then of each of them.
  void begin_fields(std::size_t bytes) noexcept { kept_ = bytes * kOwnUnitsPerByte; }
  void begin_field(std::size_t bytes) noexcept {
    const std::uint64_t own = bytes * kOwnUnitsPerByte;
    kept_ -= std::min(kept_, own);
    const std::uint64_t free = allowed_ - std::min(allowed_, used_);
    left_ = std::max(free - std::min(free, kept_), std::min(free, own));
  }

  // Work on what is no further decoding; or that was done and could not be told before.
  void add(std::uint64_t units) noexcept { used_ += units; }
  void drain(std::uint64_t units) noexcept {
    left_ -= std::min(left_, units);
    used_ += units;
  }
  // Of the present field's; false, and nothing is taken, if that is not there.
  bool take(std::uint64_t units) noexcept {
    if (units > left_) return false;
    left_ -= units;
    used_ += units;
    return true;
  }
  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t allowed() const noexcept { return allowed_; }

 private:
  std::uint64_t used_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t allowed_ = 0;
  std::uint64_t kept_ = 0;  // for fields that were not decoded further yet
};

}  // namespace wafd::detect
