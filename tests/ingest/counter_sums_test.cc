#include "ingest/counter_sums.h"

#include <gtest/gtest.h>

#include "ingest/envoy/envoy_session.h"
#include "ingest/http_counters.h"
#include "ingest/judge.h"
#include "ingest/spop/spop_session.h"
#include "ingest/t1k/t1k_session.h"

namespace wafd::ingest {
namespace {

TEST(CounterSums, EachCountOfBoth) {
  HttpCounters sum{.checks = 1, .bodies = {2, 3}, .bodies_cut = 4};
  add_counters(sum, {.checks = 10, .mirrored = 20, .bodies = {30, 40}, .bodies_cut = 50});
  EXPECT_EQ(sum.checks, 11u);
  EXPECT_EQ(sum.mirrored, 20u);
  EXPECT_EQ(sum.bodies.seen, 32u);
  EXPECT_EQ(sum.bodies.missing, 43u);
  EXPECT_EQ(sum.bodies_cut, 54u);
}

TEST(CounterSums, HistogramsAndReasons) {
  JudgeCounters sum;
  JudgeCounters more;
  sum.detect_times.add(5);
  more.detect_times.add(5);
  more.detect_times.add(900);
  more.reports_late = 7;
  add_counters(sum, more);
  EXPECT_EQ(sum.detect_times.total(), 3u);
  EXPECT_EQ(sum.detect_times.quantile(0.5), 5u);
  EXPECT_EQ(sum.reports_late, 7u);

  t1k::Counters t1k;
  t1k.malformed.back() = 2;
  add_counters(t1k, t1k::Counters(t1k));
  EXPECT_EQ(t1k.malformed.back(), 4u);
  spop::Counters spop;
  spop.malformed.front() = 1;
  add_counters(spop, spop::Counters(spop));
  EXPECT_EQ(spop.malformed.front(), 2u);
  envoy::Counters envoy;
  envoy.cancelled = 3;
  add_counters(envoy, envoy::Counters(envoy));
  EXPECT_EQ(envoy.cancelled, 6u);
}

}  // namespace
}  // namespace wafd::ingest
