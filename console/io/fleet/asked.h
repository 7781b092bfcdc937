// One question at a time, asked on a thread that may wait, its answer taken on the loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "console/base/background.h"
#include "detect/core/error.h"

namespace wafd::console {

// On the loop. What runs when it is destroyed is told by `over` that nobody waits.
template <class T>
class Asked {
 public:
  using Over = std::function<bool()>;
  using Question = std::function<Result<T>(const Over& over)>;

  explicit Asked(Background& pool) : pool_(pool) {}
  ~Asked() { state_->gone = true; }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  bool busy() const noexcept { return busy_; }
  // False: there is no room for it now.
  bool ask(Question question) {
    const auto state = state_;
    const bool taken = pool_.run(
        [state, question = std::move(question)] {
          state->answer.emplace(question([state] { return state->gone.load(); }));
        },
        [state] { state->ready = true; });
    busy_ = busy_ || taken;
    return taken;
  }
  // Once it is there.
  std::optional<Result<T>> take() {
    if (!state_->ready) return std::nullopt;
    state_->ready = false;
    busy_ = false;
    return std::exchange(state_->answer, std::nullopt);
  }

 private:
  struct State {
    std::atomic<bool> gone = false;
    bool ready = false;  // of the loop
    std::optional<Result<T>> answer;
  };

  Background& pool_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  bool busy_ = false;
};

}  // namespace wafd::console
