// How long something took, as a histogram of fixed size: buckets grow with the time, so that a quantile is at
// most an eighth too high (as HdrHistogram with three bits). A value; one thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace wafd {

class TimeHistogram {
 public:
  static constexpr std::uint64_t kMaxUs = (std::uint64_t{1} << 32) - 1;  // longer counts as this

  void add(std::uint64_t us) noexcept {
    ++counts_[bucket_of(std::min(us, kMaxUs))];
    ++total_;
  }
  void add(const TimeHistogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
  }
  std::uint64_t total() const noexcept { return total_; }

  // A time that this share (0 to 1) of all did not exceed: the longest of the bucket reached; 0 if there is
  // none.
  std::uint64_t quantile(double share) const noexcept {
    const auto wanted =
        static_cast<std::uint64_t>(std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(total_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen > 0 && seen >= wanted) return highest_of(i);
    }
    return 0;
  }

 private:
  static constexpr std::size_t kLinear = 16;  // one bucket for each microsecond
  static constexpr std::size_t kSteps = 8;    // in each further doubling

  static std::size_t bucket_of(std::uint64_t us) noexcept {
    if (us < kLinear) return static_cast<std::size_t>(us);
    const auto shift = static_cast<std::size_t>(std::bit_width(us)) - 4;
    return kLinear + (shift - 1) * kSteps + static_cast<std::size_t>((us >> shift) - kSteps);
  }
  static std::uint64_t highest_of(std::size_t bucket) noexcept {
    if (bucket < kLinear) return bucket;
    const std::size_t shift = (bucket - kLinear) / kSteps + 1;
    const std::uint64_t step = (bucket - kLinear) % kSteps + kSteps;
    return ((step + 1) << shift) - 1;
  }

  std::array<std::uint64_t, kLinear + 28 * kSteps> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace wafd
