// One event loop on one thread, its timers, and the way into it from other threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <uv.h>

namespace wafd::kit {

// Base of every handle on a loop: `uv_handle_t::data` points at it. It frees itself in its close
// callback.
class LoopHandle {
 public:
  virtual ~LoopHandle() = default;
  virtual void loop_closing() noexcept = 0;  // uv_close() whatever is still open
};

// Everything here is for the thread that calls run(), but stop() and post(). Objects that live on a loop are
// destroyed on its thread, or on any after run() has returned, and before the loop.
class Loop {
 public:
  Loop();
  ~Loop();  // closes what lingers and waits for the close callbacks
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run() noexcept;   // until stop(); may be called again afterwards
  void stop() noexcept;  // any thread; what was posted before runs first
  // Any thread. Functions run in order on the loop's thread, all of one turn together, also across a stop and
  // run.
  void post(std::function<void()> function);
  // Runs what is ready and returns; for tests and for draining after run().
  void run_once() noexcept;

  // Monotonic time at which this turn's events were fetched.
  std::int64_t turn_start_us() const noexcept { return static_cast<std::int64_t>(uv_now(&loop_)) * 1000; }
  std::int64_t turn_start_ms() const noexcept { return static_cast<std::int64_t>(uv_now(&loop_)); }

  uv_loop_t* uv() noexcept { return &loop_; }
  std::span<char> read_buffer() noexcept { return {read_buffer_.get(), kReadBufferBytes}; }

 private:
  static constexpr std::size_t kReadBufferBytes =
      64 * 1024;  // one for all streams: libuv reads one at a time
  struct Wakeup;

  void run_posted() noexcept;

  mutable uv_loop_t loop_{};
  Wakeup* wakeup_ = nullptr;  // freed by its close callback
  std::unique_ptr<char[]> read_buffer_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;  // under mutex_
};

// Milliseconds. The callback may destroy the timer.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> callback);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void start(std::int64_t after_ms, std::int64_t repeat_ms = 0) noexcept;  // restarts a running one
  void stop() noexcept;
  bool active() const noexcept;

 private:
  struct State;
  State* state_;
};

// While started, calls back once a turn after the turn's IO, and the loop does not sleep meanwhile: for work
// that is done in slices. The callback may destroy it.
class EachTurn {
 public:
  EachTurn(Loop& loop, std::function<void()> callback);
  ~EachTurn();
  EachTurn(const EachTurn&) = delete;
  EachTurn& operator=(const EachTurn&) = delete;

  void start() noexcept;
  void stop() noexcept;

 private:
  struct State;
  State* state_;
};

}  // namespace wafd::kit
