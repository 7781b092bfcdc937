// Requests over time, as the overview draws them.
#include "console/base/traffic.h"

#include <gtest/gtest.h>

namespace wafd::console {
namespace {

constexpr std::int64_t kBucket = TrafficHistory::kBucketMs;

TEST(TrafficHistory, WhatCameSinceTheLastCallBelongsToItsBucket) {
  TrafficHistory history;
  EXPECT_EQ(history.json(), R"({"bucket_ms":300000,"buckets":[]})");
  history.add(10 * kBucket + 1, {5, 1, 0, 0});
  history.add(10 * kBucket + 9, {7, 1, 2, 0});
  history.add(12 * kBucket, {8, 1, 2, 3});
  EXPECT_EQ(history.json(), R"({"bucket_ms":300000,"buckets":[)"
                            R"({"t":3000000,"requests":7,"denied":1,"monitored":2,"unjudged":0},)"
                            R"({"t":3300000,"requests":0,"denied":0,"monitored":0,"unjudged":0},)"
                            R"({"t":3600000,"requests":1,"denied":0,"monitored":0,"unjudged":3}]})");
}

TEST(TrafficHistory, ClocksThatAreSetAndLongPausesKeepItWhole) {
  TrafficHistory history;
  history.add(10 * kBucket, {5, 0, 0, 0});
  history.add(3 * kBucket, {6, 0, 0, 0});
  EXPECT_EQ(
      history.json(),
      R"({"bucket_ms":300000,"buckets":[{"t":3000000,"requests":6,"denied":0,"monitored":0,"unjudged":0}]})");
  history.add(1'000'000'000 * kBucket, {9, 0, 0, 0});
  EXPECT_EQ(
      history.json(),
      R"({"bucket_ms":300000,"buckets":[{"t":300000000000000,"requests":3,"denied":0,"monitored":0,"unjudged":0}]})");
  for (std::int64_t i = 1; i <= 3000; ++i) history.add((1'000'000'000 + i) * kBucket, {9, 0, 0, 0});
  std::size_t buckets = 0;
  const std::string json = history.json();
  for (std::size_t at = json.find("\"t\""); at != std::string::npos; at = json.find("\"t\"", at + 1))
    ++buckets;
  EXPECT_EQ(buckets, TrafficHistory::kBuckets);
}

}  // namespace
}  // namespace wafd::console
