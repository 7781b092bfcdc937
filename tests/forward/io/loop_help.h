// Turning a loop until something is true, with a deadline: no test waits by sleeping.
#pragma once

#include <chrono>
#include <functional>

#include "ingest/io/kit/loop.h"

namespace wafd::test {

// Runs the loop, looking every 5 ms, until `done` holds or the deadline is over; returns whether it holds.
inline bool run_until(kit::Loop& loop, const std::function<bool()>& done, std::int64_t deadline_ms = 10'000) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(deadline_ms);
  kit::Timer look(loop, [&] {
    if (done() || std::chrono::steady_clock::now() > end) loop.stop();
  });
  look.start(0, 5);
  loop.run();
  return done();
}

}  // namespace wafd::test
