#include "ingest/io/kit/loop.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "ingest/io/kit/system.h"
#include "tests/ingest/io/kit/kit_support.h"

namespace wafd::kit {
namespace {

TEST(Loop, PostedFunctionsRunInOrderOnTheLoopsThread) {
  Loop loop;
  std::vector<int> order;
  std::set<std::thread::id> threads;
  std::thread runner([&] { loop.run(); });
  const auto runner_id = runner.get_id();
  for (int i = 0; i < 1000; ++i) {
    loop.post([&, i] {
      order.push_back(i);
      threads.insert(std::this_thread::get_id());
    });
  }
  loop.stop();
  runner.join();
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(threads, std::set<std::thread::id>{runner_id});
}

TEST(Loop, MayRunAgainAfterStop) {
  Loop loop;
  int runs = 0;
  for (int i = 0; i < 3; ++i) {
    loop.post([&] { ++runs; });
    loop.stop();
    loop.run();
  }
  EXPECT_EQ(runs, 3);
}

TEST(Loop, PostedButNeverRunIsDropped) {
  auto kept = std::make_shared<int>(1);
  {
    Loop loop;
    loop.post([kept] {});
  }
  EXPECT_EQ(kept.use_count(), 1);
}

TEST(Loop, TurnStartIsOfTheClock) {
  Loop loop;
  const SystemClock clock;
  std::int64_t start = 0, now = 0;
  loop.post([&] {
    start = loop.turn_start_us();
    now = clock.monotonic_us();
  });
  loop.stop();
  loop.run();
  EXPECT_LE(start, now + 1000);
  EXPECT_GT(start, now - 5'000'000);
}

TEST(Timer, RepeatsStopsAndMayDestroyItself) {
  Loop loop;
  int ticks = 0;
  auto timer = std::make_unique<Timer>(loop, [] {});
  timer = std::make_unique<Timer>(loop, [&] {
    if (++ticks == 3) timer.reset();
  });
  timer->start(1, 1);
  EXPECT_TRUE(timer->active());
  EXPECT_TRUE(run_until(loop, [&] { return timer == nullptr; }));
  EXPECT_EQ(ticks, 3);
}

TEST(EachTurn, RunsOnceATurnAndMayDestroyItself) {
  Loop loop;
  int turns = 0;
  std::unique_ptr<EachTurn> each;
  each = std::make_unique<EachTurn>(loop, [&] {
    if (++turns == 5) each.reset();
  });
  each->start();
  EXPECT_TRUE(run_until(loop, [&] { return each == nullptr; }));
  EXPECT_EQ(turns, 5);
}

TEST(SystemRandom, Fills) {
  SystemRandom random;
  std::array<std::byte, 64> a{}, b{};
  random.fill(a);
  random.fill(b);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace wafd::kit
