// What waits and for how long: queue and backoff.
#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "telemetry/otlp/backoff.h"
#include "telemetry/otlp/log_queue.h"

namespace wafd::telemetry {
namespace {

class Filled final : public Random {
 public:
  explicit Filled(unsigned char value) : value_(value) {}
  void fill(std::span<std::byte> out) noexcept override {
    std::fill(out.begin(), out.end(), static_cast<std::byte>(value_));
  }

 private:
  unsigned char value_;
};

TEST(LogQueue, KeepsTheNewestAndCountsTheRest) {
  LogQueue queue;
  for (int i = 0; i < 3000; ++i) {
    queue.push({i, "info", std::to_string(i)});
    EXPECT_EQ(queue.fills(512), i >= 511);
  }
  EXPECT_EQ(queue.dropped(), 3000 - LogQueue::kMaxRecords);
  std::vector<LogRecord> all = queue.take(10);
  EXPECT_EQ(all.front().message, std::to_string(3000 - LogQueue::kMaxRecords));
  for (const LogRecord& record : queue.take(5000)) all.push_back(record);
  EXPECT_EQ(all.size(), LogQueue::kMaxRecords);
  EXPECT_EQ(all.back().message, "2999");
  EXPECT_FALSE(queue.fills(1));
  EXPECT_TRUE(queue.take(1).empty());
}

TEST(LogQueue, IsBoundedInBytes) {
  LogQueue queue;
  const std::string large(100'000, 'x');
  for (int i = 0; i < 100; ++i) queue.push({i, "info", large, {{"name", large}}});
  EXPECT_TRUE(queue.fills(1000)) << "as many bytes as one request has";
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (queue.fills(1)) {
    const std::vector<LogRecord> taken = queue.take(1000);
    EXPECT_EQ(taken.size(), count == 0 ? 5u : std::min<std::size_t>(5, taken.size()));
    for (const LogRecord& record : taken) bytes += record.bytes();
    count += taken.size();
  }
  EXPECT_LE(bytes, LogQueue::kMaxBytes);
  EXPECT_GT(bytes, LogQueue::kMaxBytes / 2);
  EXPECT_EQ(queue.dropped() + count, 100u);
  queue.push({0, "info", std::string(LogQueue::kMaxBytes, 'x')});
  EXPECT_FALSE(queue.fills(1)) << "one that never fits";
}

TEST(LogQueue, OfManyThreadsLosesNoneUncounted) {
  LogQueue queue;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) queue.push({i, "info", "x"});
    });
  std::size_t taken = 0;
  for (int i = 0; i < 100; ++i) taken += queue.take(50).size();
  for (std::thread& thread : threads) thread.join();
  taken += queue.take(100'000).size();
  EXPECT_EQ(taken + queue.dropped(), 20'000u);
}

TEST(Backoff, DoublesToAMinuteHalfOfItByChance) {
  for (const int value : {0, 0x7f, 0xff}) {
    Filled random(static_cast<unsigned char>(value));
    Backoff backoff(random);
    for (std::int64_t whole = 1000; whole < 120'000; whole *= 2) {
      const std::int64_t most = std::min<std::int64_t>(whole, 60'000);
      const std::int64_t wait = backoff.failed({});
      EXPECT_GE(wait, most / 2);
      EXPECT_LE(wait, most);
    }
    backoff.succeeded();
    EXPECT_LE(backoff.failed({}), 1000);
  }
}

TEST(Backoff, DoesWhatTheReceiverSaysWithinBounds) {
  Filled random(0);
  Backoff backoff(random);
  EXPECT_EQ(backoff.failed(7), 7000);
  EXPECT_EQ(backoff.failed(86'400), 600'000);
  EXPECT_EQ(backoff.failed(0), 2000) << "says nothing: as if it had not been there, the third time";
  EXPECT_EQ(backoff.failed(-1), 4000);
}

}  // namespace
}  // namespace wafd::telemetry
