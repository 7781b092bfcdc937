// Requests over time: what was judged, denied and passed without being judged, in buckets of five minutes for
// two days, so that a day can be compared with the one before. In memory alone: it begins with the program.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

namespace wafd::console {

// Counters of the program since its start; they only grow.
struct TrafficTotals {
  std::uint64_t requests = 0;
  std::uint64_t denied = 0;
  std::uint64_t monitored = 0;
  std::uint64_t unjudged =
      0;  // passed without being judged: at too much load, or by gateways without an answer
};

// One thread.
class TrafficHistory {
 public:
  static constexpr std::int64_t kBucketMs = 5 * 60 * 1000;
  static constexpr std::size_t kBuckets = 2 * 24 * 12;

  // Requests since the last call belong to the bucket of `now_ms` (Unix time): call it once a minute or
  // more. A clock that was set back adds to the newest bucket.
  void add(std::int64_t now_ms, const TrafficTotals& totals);

  // {"bucket_ms","buckets":[{"t","requests","denied","monitored","unjudged"}]}, oldest first, without gaps.
  std::string json() const;

 private:
  struct Bucket {
    std::int64_t begin_ms;
    TrafficTotals counts;
  };
  TrafficTotals last_;
  std::deque<Bucket> buckets_;
};

}  // namespace wafd::console
