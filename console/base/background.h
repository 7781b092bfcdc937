// Work that must not hold up the console loop: password hashing, searches over the ring.
#pragma once

#include <functional>

namespace wafd::console {

class Background {
 public:
  virtual ~Background() = default;
  // Runs `work` on another thread, then `done` on the console loop. False: too much is waiting already,
  // nothing was taken. `done` does not run once the loop is stopping.
  virtual bool run(std::function<void()> work, std::function<void()> done) = 0;
};

}  // namespace wafd::console
