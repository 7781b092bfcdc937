#include "ingest/fair_queue.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wafd::ingest {
namespace {

constexpr std::uint64_t kMega = 1u << 20;

class Queue : public ::testing::Test {
 protected:
  struct One final : Work {
    One(std::string n, std::uint64_t u) : name(std::move(n)), units(u) {}
    std::uint64_t judge(RequestJudge&, Turn) override { return units; }
    void answer() override {}
    std::string name;
    std::uint64_t units;
  };
  // A request of `who` that costs `units`.
  FairQueue::Ticket push(const std::string& who, bool bare, std::size_t bytes, std::uint64_t units,
                         std::int64_t arrived_us = 0) {
    return queue_.push(queue_.source_of(who), bare, bytes, arrived_us, std::make_shared<One>(who, units));
  }
  bool ran(const std::optional<FairQueue::Taken>& taken, const char* how = "") {
    if (!taken) return false;
    const auto& one = static_cast<const One&>(*taken->work);
    queue_.finish(*taken, one.units);
    ran_.push_back(one.name + how);
    return true;
  }
  bool run_next() { return ran(queue_.take_next()); }
  bool run_late(std::int64_t late_us) { return ran(queue_.take_late(late_us), " late"); }
  std::vector<std::string> run_all() {
    while (run_next()) {
    }
    return std::exchange(ran_, {});
  }
  FairQueue queue_{64 * kMega, 7};
  std::vector<std::string> ran_;
};

using Order = std::vector<std::string>;

TEST_F(Queue, RequestsWithoutABodyNeverWaitBehindBodies) {
  for (int i = 0; i < 12; ++i) push("flood", false, kMega, 100'000'000);
  push("client", true, 300, 30'000);
  push("flood", true, 300, 30'000);
  const Order order = run_all();
  ASSERT_EQ(order.size(), 14u);
  EXPECT_EQ(order[0], "client");
  EXPECT_EQ(order[1], "flood") << "which stands behind the client";
}

TEST_F(Queue, AddressesOfOneIPv6NetworkAreOneSource) {
  EXPECT_EQ(queue_.source_of("2001:db8:0:1::1"), queue_.source_of("2001:db8:0:1:ffff:ffff:ffff:ffff"));
  EXPECT_NE(queue_.source_of("2001:db8:0:1::1"), queue_.source_of("2001:db8:0:2::1"));
  EXPECT_NE(queue_.source_of("192.0.2.1"), queue_.source_of("192.0.2.2"));
  EXPECT_EQ(queue_.source_of("192.0.2.1"), queue_.source_of("192.0.2.1"));
}

TEST_F(Queue, OneSourcesExpensiveRequestsHoldUpNoOther) {
  // The flood's twelve connections ask again at once; the client asks once in a while.
  for (int i = 0; i < 12; ++i) push("flood", false, kMega, 100'000'000);
  int waited_most = 0;
  for (int round = 0; round < 50; ++round) {
    push("client", false, 2'000, 40'000);
    int waited = 0;
    for (; std::find(ran_.begin(), ran_.end(), "client") == ran_.end(); ++waited) {
      ASSERT_TRUE(run_next());
      if (ran_.back() == "flood") push("flood", false, kMega, 100'000'000);
    }
    waited_most = std::max(waited_most, waited);
    ran_.clear();
  }
  EXPECT_EQ(waited_most, 1) << "the client is always next";
}

TEST_F(Queue, EqualSourcesHaveEqualShares) {
  for (int i = 0; i < 30; ++i) push("a", false, kMega, 50 * kMega);
  for (int i = 0; i < 3; ++i) push("b", false, kMega, 50 * kMega);
  const Order order = run_all();
  const auto last_b = std::find(order.rbegin(), order.rend(), "b");
  EXPECT_LE(order.rend() - last_b, 7) << "one of each in turn";
}

TEST_F(Queue, WhatWasCheapIsChargedAsCheap) {
  // Both send as many bytes; those of one are a hundred times as expensive.
  for (int i = 0; i < 4; ++i) {
    push("dear", false, 100'000, 500'000'000);
    push("cheap", false, 100'000, 500'000);
    run_all();
  }
  push("dear", false, 100'000, 1);
  push("cheap", false, 100'000, 1);
  EXPECT_EQ(run_all(), (Order{"cheap", "dear"}));
}

TEST_F(Queue, AtOnceIsWhatIsSmallOfWhoHasNotHadMore) {
  const Source dear = queue_.source_of("dear"), other = queue_.source_of("other");
  EXPECT_TRUE(queue_.at_once(dear, 1'000, 1));
  queue_.charge(dear, 3'000'000);
  EXPECT_FALSE(queue_.at_once(dear, 1'000, 1)) << "it has had its share in this turn";
  EXPECT_TRUE(queue_.at_once(other, 1'000, 1));
  EXPECT_FALSE(queue_.at_once(other, 20'000, 1));
  EXPECT_TRUE(queue_.at_once(dear, 1'000, 2)) << "nobody waits, so the next turn is a new beginning";
  queue_.charge(dear, 3'000'000);
  push("dear", true, 1'000, 3'000'000);
  EXPECT_FALSE(queue_.at_once(dear, 1'000, 3)) << "while one waits, it is not";
  EXPECT_TRUE(queue_.at_once(other, 1'000, 3));
}

TEST_F(Queue, WhatIsLateRunsOldestFirst) {
  push("a", false, 100, 1, 10);
  push("b", true, 100, 1, 20);
  push("c", true, 100, 1, 30);
  EXPECT_FALSE(run_late(10));
  EXPECT_TRUE(run_late(30));
  EXPECT_TRUE(run_late(30));
  EXPECT_FALSE(run_late(30));
  EXPECT_EQ(ran_, (Order{"a late", "b late"}));
  EXPECT_EQ(queue_.size(), 1u);
  EXPECT_EQ(queue_.bytes(), 100u);
}

TEST_F(Queue, BeyondItsBoundTheHeaviestLosesItsTurn) {
  push("client", false, 3 * kMega, 1, 5);
  for (int i = 0; i < 70; ++i) push("flood", false, kMega, 1, 10 + i);
  EXPECT_LE(queue_.bytes(), 64 * kMega);
  while (run_late(0)) {
  }
  EXPECT_EQ(ran_.size(), 9u);
  EXPECT_EQ(std::count(ran_.begin(), ran_.end(), "flood late"), 9);
  EXPECT_EQ(queue_.size(), 62u);
}

TEST_F(Queue, JobsOfThoseThatWentAreForgotten) {
  const auto one = push("a", false, 40 * kMega, 1);
  const auto two = push("a", false, 40 * kMega, 1);  // loses its turn
  queue_.cancel(two);
  EXPECT_FALSE(run_late(0));
  queue_.cancel(one);
  queue_.cancel(one);
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.bytes(), 0u);
  EXPECT_FALSE(run_next());
  EXPECT_EQ(queue_.given_up(), 2u) << "counted once each";
  push("a", true, 100, 1);
  push("b", false, 100, 1);
  queue_.cancel_all();
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.given_up(), 4u);
}

// However many sources and requests wait: the last request of the heaviest source loses its turn.
TEST_F(Queue, ManySourcesAreShedInOrder) {
  constexpr int kSources = 20'000;
  for (int i = 0; i < kSources; ++i) push("s" + std::to_string(i), false, 3'000, 1, i);
  push("heavy", false, 4'000, 1, kSources);
  push("heavy", false, 4'500, 1, kSources);
  const std::size_t before = queue_.bytes();
  push("light", false, 64 * kMega - before + 1, 1, kSources);
  EXPECT_TRUE(run_late(0));
  EXPECT_EQ(ran_, Order{"light late"}) << "it is the heaviest then";
  push("light", false, 64 * kMega - queue_.bytes(), 1, kSources);
  ran_.clear();
  push("tiny", true, 1, 1, kSources);
  EXPECT_TRUE(run_late(0));
  EXPECT_EQ(ran_, Order{"light late"});
  for (int i = 0; i < 20'000; ++i) push("flood", false, 4'000, 1, kSources);
  ran_.clear();
  while (run_late(0)) {
  }
  EXPECT_GT(ran_.size(), 1'000u);
  EXPECT_EQ(std::count(ran_.begin(), ran_.end(), "flood late"), static_cast<std::ptrdiff_t>(ran_.size()));
  EXPECT_LE(queue_.bytes(), 64 * kMega);
}

TEST_F(Queue, SourcesAreToldApart) {
  EXPECT_NE(queue_.source_of("192.0.2.1"), queue_.source_of("192.0.2.2"));
  EXPECT_NE(queue_.source_of("192.0.2.1"), FairQueue(1, 8).source_of("192.0.2.1")) << "by a random number";
  int here = 0, there = 0;
  EXPECT_NE(queue_.source_of_connection(&here), queue_.source_of_connection(&there));
}

}  // namespace
}  // namespace wafd::ingest
