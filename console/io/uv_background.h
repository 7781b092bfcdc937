// Background on libuv's thread pool.
#pragma once

#include <cstddef>

#include "console/base/background.h"
#include "ingest/io/kit/loop.h"

namespace wafd::console {

// Lives on the console loop; run() only there.
class UvBackground final : public Background {
 public:
  static constexpr std::size_t kMaxWaiting = 64;

  explicit UvBackground(kit::Loop& loop) : loop_(loop) {}
  ~UvBackground() override;  // cancels what has not begun, waits for the rest

  bool run(std::function<void()> work, std::function<void()> done) override;

 private:
  struct Job;
  kit::Loop& loop_;
  Job* first_ = nullptr;  // of all that are under way
  std::size_t count_ = 0;
  bool stopping_ = false;
};

}  // namespace wafd::console
