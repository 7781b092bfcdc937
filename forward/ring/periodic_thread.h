// A thread that does one thing every interval and once more when it ends: msync, off the threads that must
// not wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace wafd::forward {

class PeriodicThread {
 public:
  // interval_ms 0: only on ending. `work` must not throw.
  PeriodicThread(std::int64_t interval_ms, std::function<void()> work)
      : work_(std::move(work)), thread_([this, interval_ms] { run(interval_ms); }) {}
  ~PeriodicThread() {
    {
      const std::lock_guard guard(lock_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

 private:
  void run(std::int64_t interval_ms) {
    std::unique_lock guard(lock_);
    while (!stopping_) {
      const auto stopped = [this] { return stopping_; };
      if (interval_ms > 0) {
        wake_.wait_for(guard, std::chrono::milliseconds(interval_ms), stopped);
      } else {
        wake_.wait(guard, stopped);
      }
      guard.unlock();
      work_();
      guard.lock();
    }
  }

  std::function<void()> work_;
  std::mutex lock_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace wafd::forward
