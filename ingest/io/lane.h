// A second thread of a worker, for the requests that take long: while it judges one, the worker's own thread
// reads on and judges what is small. One request at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ingest/fair_queue.h"
#include "ingest/judge.h"

namespace wafd::ingest {

// Used by one thread, the worker's, but for what it starts itself.
class Lane {
 public:
  // `post` runs a function on the worker's thread; it may be called from any.
  Lane(RequestJudge::Parts parts, EngineSnapshot engine, std::shared_ptr<const detect::Policy> policy,
       std::function<void(std::function<void()>)> post);
  ~Lane();  // waits for the request that is being judged
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  bool busy() const noexcept { return busy_; }
  // Not while it is busy. `done` runs on the worker's thread. Where the system gives no thread the work is
  // done before this returns.
  void begin(std::shared_ptr<Work> work, Turn turn, std::function<void(std::uint64_t units)> done);

  void stop();  // waits for the request that is being judged; `done` is still to be run

  // At once, or as soon as the request that is being judged is over. `done` gets what was there before.
  void swap(EngineSnapshot engine, std::function<void(EngineSnapshot)> done);
  void swap(std::shared_ptr<const detect::Policy> policy,
            std::function<void(std::shared_ptr<const detect::Policy>)> done);

  // Of the requests that are over.
  const JudgeCounters& counters() const noexcept { return counters_; }
  detect::UsageCounters take_hits() { return std::exchange(hits_, {}); }

 private:
  bool start();
  void run();
  void judge_here();
  void end(std::uint64_t units);

  RequestJudge judge_;  // of the lane's thread while it is busy, else of the worker's
  std::function<void(std::function<void()>)> post_;
  bool busy_ = false;
  std::function<void(std::uint64_t)> done_;
  std::vector<std::function<void()>> afterwards_;
  JudgeCounters counters_;
  detect::UsageCounters hits_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Work> work_;  // under mutex_, as the next two
  Turn turn_ = Turn::kTime;
  bool stop_ = false;
  std::thread thread_;  // made for the first request
};

}  // namespace wafd::ingest
