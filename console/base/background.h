// Work that must not hold up the console loop: password hashing, searches over the ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace wafd::console {

// Set, from any thread, once nobody waits for an answer any more. Null: somebody always does.
using Gone = std::shared_ptr<std::atomic<bool>>;

class Background {
 public:
  struct Task {
    std::function<void()> work;  // on another thread
    std::function<void()> done;  // then, on the console loop
    std::string user = {};  // on whose behalf: one user gets half of the threads at most; empty: nobody's
    Gone gone = {};         // set before the work has begun: it is left out, `done` runs all the same
  };
  enum class Taken : std::uint8_t { kYes, kFull, kFullOfUser };

  virtual ~Background() = default;
  // kFull: too much is waiting already, kFullOfUser: of that user; nothing was taken. `done` does not run
  // once the loop is stopping.
  virtual Taken take(Task task) = 0;

  bool run(std::function<void()> work, std::function<void()> done) {
    return take({std::move(work), std::move(done)}) == Taken::kYes;
  }
};

}  // namespace wafd::console
