#include "console/base/traffic.h"

#include <algorithm>

#include <fmt/format.h>

namespace wafd::console {

void TrafficHistory::add(std::int64_t now_ms, const TrafficTotals& totals) {
  const std::int64_t begin = now_ms - now_ms % kBucketMs;
  if (!buckets_.empty()) {
    // A pause longer than what is kept (a machine that slept) leaves nothing to be filled.
    if (begin - buckets_.back().begin_ms > static_cast<std::int64_t>(kBuckets) * kBucketMs) buckets_.clear();
  }
  while (!buckets_.empty() && buckets_.back().begin_ms < begin - kBucketMs)
    buckets_.push_back({buckets_.back().begin_ms + kBucketMs, {}});
  if (buckets_.empty() || buckets_.back().begin_ms < begin) buckets_.push_back({begin, {}});
  TrafficTotals& counts = buckets_.back().counts;
  counts.requests += totals.requests - std::min(totals.requests, last_.requests);
  counts.denied += totals.denied - std::min(totals.denied, last_.denied);
  counts.monitored += totals.monitored - std::min(totals.monitored, last_.monitored);
  counts.unjudged += totals.unjudged - std::min(totals.unjudged, last_.unjudged);
  last_ = totals;
  while (buckets_.size() > kBuckets) buckets_.pop_front();
}

std::string TrafficHistory::json() const {
  std::string out = fmt::format(R"({{"bucket_ms":{},"buckets":[)", kBucketMs);
  for (const Bucket& bucket : buckets_) {
    if (out.back() != '[') out += ',';
    out += fmt::format(R"({{"t":{},"requests":{},"denied":{},"monitored":{},"unjudged":{}}})",
                       bucket.begin_ms, bucket.counts.requests, bucket.counts.denied, bucket.counts.monitored,
                       bucket.counts.unjudged);
  }
  return out + "]}";
}

}  // namespace wafd::console
