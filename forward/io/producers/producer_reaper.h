// The end of producers, beside the loop: it waits for threads that may be waiting for somebody else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace wafd::forward {

// Destroying a producer waits for its threads, which may be waiting for a name server or a database: that is
// done here. The destructor waits at most kWaitMs, if wait() was not called or was content.
class ProducerReaper {
 public:
  static constexpr std::int64_t kWaitMs = 3000;

  ProducerReaper();
  ~ProducerReaper();
  ProducerReaper(const ProducerReaper&) = delete;
  ProducerReaper& operator=(const ProducerReaper&) = delete;

  void take(std::function<void()> destroy);
  // Waits for what is still going on; false: not through within that time. Then the program must end without
  // exit handlers, which would run under threads that use what they clear away.
  bool wait(std::int64_t timeout_ms);

 private:
  struct State;
  std::shared_ptr<State> state_;
  bool given_up_ = false;
};

}  // namespace wafd::forward
