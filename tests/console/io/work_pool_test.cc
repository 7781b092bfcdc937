#include "console/io/work_pool.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

namespace wafd::console {
namespace {

// Tasks wait at it until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    wake_.notify_all();
    wake_.wait(lock, [this] { return open_; });
  }
  bool wait_inside(std::size_t count) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(20), [&] { return inside_ >= count; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    wake_.notify_all();
  }
  std::size_t inside() {
    const std::lock_guard lock(mutex_);
    return inside_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::size_t inside_ = 0;
  bool open_ = false;
};

using Taken = Background::Taken;

TEST(WorkPool, OneUserLeavesThreadsToTheOthers) {
  kit::Loop loop;
  Gate first, second;
  std::size_t done = 0;
  WorkPool pool(loop, {.threads = 4, .waiting = 8, .waiting_of_user = 5});
  const auto end = [&] {
    if (++done == 7) loop.stop();
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(pool.take({[&] { first.pass(); }, end, "greedy"}), Taken::kYes);
  EXPECT_EQ(pool.take({[] {}, end, "greedy"}), Taken::kFullOfUser);
  ASSERT_TRUE(first.wait_inside(2));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(pool.take({[&] { second.pass(); }, end, "other"}), Taken::kYes);
  ASSERT_TRUE(second.wait_inside(2)) << "half of the threads are for others";
  EXPECT_EQ(first.inside(), 2u);
  second.open();
  first.open();
  loop.run();
  EXPECT_EQ(done, 7u);
  EXPECT_EQ(pool.take({[] {}, [] {}, "greedy"}), Taken::kYes) << "given back";
}

TEST(WorkPool, WhatNobodyWaitsForIsLeftOut) {
  kit::Loop loop;
  Gate gate;
  WorkPool pool(loop, {.threads = 1, .waiting = 3, .waiting_of_user = 8});
  ASSERT_EQ(pool.take({[&] { gate.pass(); }, [] {}, ""}), Taken::kYes);
  ASSERT_TRUE(gate.wait_inside(1));
  bool worked = false, told = false, other = false;
  const Gone gone = std::make_shared<std::atomic<bool>>(false);
  ASSERT_EQ(pool.take({[&] { worked = true; }, [&] { told = true; }, "a", gone}), Taken::kYes);
  ASSERT_EQ(pool.take({[&] { other = true; }, [&] { loop.stop(); }, "b"}), Taken::kYes);
  ASSERT_EQ(pool.take({[] {}, [] {}, "c"}), Taken::kYes);
  EXPECT_EQ(pool.take({[] {}, [] {}, "d"}), Taken::kFull);
  *gone = true;
  gate.open();
  loop.run();
  EXPECT_FALSE(worked);
  EXPECT_TRUE(told) << "what was counted for it is given back";
  EXPECT_TRUE(other);
}

TEST(WorkPool, EndsWithWhatIsUnderWayAlone) {
  kit::Loop loop;
  Gate gate;
  bool late = false;
  std::thread opener;
  {
    WorkPool pool(loop, {.threads = 1, .waiting_of_user = 1});
    pool.run([&] { gate.pass(); }, [&] { late = true; });
    ASSERT_TRUE(gate.wait_inside(1));
    pool.run([&] { late = true; }, [&] { late = true; });
    // Opens when the pool takes nothing any more, so not before its end has begun.
    opener = std::thread([&] {
      while (pool.take({[&] { late = true; }, [] {}, "user"}) != Taken::kFull) std::this_thread::yield();
      gate.open();
    });
  }
  opener.join();
  loop.post([&] { loop.stop(); });
  loop.run();
  EXPECT_FALSE(late);
}

}  // namespace
}  // namespace wafd::console
