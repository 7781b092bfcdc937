// A query of a database that runs on a background thread, one at a time; its result is taken on the loop.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "console/base/background.h"
#include "detect/core/error.h"

namespace wafd::console {

// Used on the loop alone. Where it is destroyed while a query runs, `over` tells the query that nobody waits.
template <class T>
class BackgroundQuery {
 public:
  using Over = std::function<bool()>;
  using Query = std::function<Result<T>(const Over& over)>;

  explicit BackgroundQuery(Background& pool) : pool_(pool) {}
  ~BackgroundQuery() { state_->gone = true; }
  BackgroundQuery(const BackgroundQuery&) = delete;
  BackgroundQuery& operator=(const BackgroundQuery&) = delete;

  bool busy() const noexcept { return busy_; }
  // False: the pool takes no further work now.
  bool ask(Query query) {
    const auto state = state_;
    const bool taken = pool_.run(
        [state, query = std::move(query)] {
          state->answer.emplace(query([state] { return state->gone.load(); }));
        },
        [state] { state->ready = true; });
    busy_ = busy_ || taken;
    return taken;
  }
  // Nothing until it has come.
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
