#include "detect/core/time_histogram.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace wafd {
namespace {

TEST(TimeHistogram, EveryTimeIsInABucketAtMostAnEighthWide) {
  for (std::uint64_t us :
       {0ull, 1ull, 15ull, 16ull, 17ull, 31ull, 32ull, 1000ull, 65535ull, 65536ull, 4294967295ull}) {
    TimeHistogram one;
    one.add(us);
    EXPECT_GE(one.quantile(0.5), us);
    EXPECT_LE(one.quantile(0.5), us + us / 8 + 1) << us;
  }
  TimeHistogram longest;
  longest.add(UINT64_MAX);
  EXPECT_EQ(longest.quantile(1), TimeHistogram::kMaxUs);
}

TEST(TimeHistogram, Quantiles) {
  TimeHistogram times;
  EXPECT_EQ(times.quantile(0.5), 0u);
  for (std::uint64_t us = 1; us <= 10; ++us) times.add(us);
  EXPECT_EQ(times.quantile(0), 1u);
  EXPECT_EQ(times.quantile(0.5), 5u);
  EXPECT_EQ(times.quantile(0.9), 9u);
  EXPECT_EQ(times.quantile(0.99), 10u);  // of ten, 99 in 100 are all ten
  EXPECT_EQ(times.quantile(1), 10u);
  TimeHistogram others;
  for (int i = 0; i < 90; ++i) others.add(1);
  times.add(others);
  EXPECT_EQ(times.total(), 100u);
  EXPECT_EQ(times.quantile(0.9), 1u);
  EXPECT_EQ(times.quantile(0.99), 9u);
}

// Against the times themselves, sorted: never below the true quantile, at most an eighth above it.
TEST(TimeHistogram, QuantilesOfManyStandBesideTheSortedTimes) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> sorted;
  TimeHistogram times;
  for (int i = 0; i < 20'000; ++i) {
    sorted.push_back(random() >> (30 + random() % 34));  // of every magnitude
    times.add(sorted.back());
  }
  for (std::uint64_t& us : sorted) us = std::min(us, TimeHistogram::kMaxUs);
  std::sort(sorted.begin(), sorted.end());
  for (const double share : {0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    const std::uint64_t exact = sorted[rank - 1];
    EXPECT_GE(times.quantile(share), exact) << share;
    EXPECT_LE(times.quantile(share), exact + exact / 8) << share;
  }
}

}  // namespace
}  // namespace wafd
