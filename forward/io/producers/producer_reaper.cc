#include "forward/io/producers/producer_reaper.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace wafd::forward {

struct ProducerReaper::State {
  std::mutex mutex;
  std::condition_variable none;
  int running = 0;
};

ProducerReaper::ProducerReaper() : state_(std::make_shared<State>()) {}

ProducerReaper::~ProducerReaper() {
  if (!given_up_) wait(kWaitMs);
}

bool ProducerReaper::wait(std::int64_t timeout_ms) {
  std::unique_lock lock(state_->mutex);
  const bool through = state_->none.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                             [this] { return state_->running == 0; });
  given_up_ = !through;
  return through;
}

void ProducerReaper::take(std::function<void()> destroy) {
  {
    const std::scoped_lock lock(state_->mutex);
    ++state_->running;
  }
  std::thread([state = state_, destroy = std::move(destroy)] {
    destroy();
    const std::scoped_lock lock(state->mutex);
    if (--state->running == 0) state->none.notify_all();
  }).detach();
}

}  // namespace wafd::forward
