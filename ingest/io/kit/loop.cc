#include "ingest/io/kit/loop.h"

#include <cassert>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace wafd::kit {
namespace {

template <class T, class Handle>
T* self(const Handle* handle) noexcept {
  return static_cast<T*>(static_cast<LoopHandle*>(handle->data));
}

}  // namespace

struct Loop::Wakeup final : LoopHandle {
  explicit Wakeup(Loop& owner) : loop(owner) {
    // Fails only without descriptors at start, where nothing can go on.
    if (uv_async_init(loop.uv(), &async,
                      [](uv_async_t* handle) noexcept { self<Wakeup>(handle)->loop.run_posted(); }) != 0)
      std::abort();
    async.data = static_cast<LoopHandle*>(this);
  }
  void loop_closing() noexcept override {
    uv_close(reinterpret_cast<uv_handle_t*>(&async),
             [](uv_handle_t* handle) noexcept { delete self<Wakeup>(handle); });
  }
  Loop& loop;
  uv_async_t async{};
};

Loop::Loop() : read_buffer_(new char[kReadBufferBytes]) {
  // libuv writes without MSG_NOSIGNAL: a peer that has gone must be an error, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  if (uv_loop_init(&loop_) != 0) std::abort();
  wakeup_ = new Wakeup(*this);
}

Loop::~Loop() {
  posted_.clear();  // may own things that live on the loop
  uv_walk(
      &loop_,
      [](uv_handle_t* handle, void*) noexcept {
        if (uv_is_closing(handle) == 0 && handle->data != nullptr)
          static_cast<LoopHandle*>(handle->data)->loop_closing();
      },
      nullptr);
  while (uv_run(&loop_, UV_RUN_DEFAULT) != 0) {
  }
  [[maybe_unused]] const int closed = uv_loop_close(&loop_);
  assert(closed == 0);
}

void Loop::run() noexcept { uv_run(&loop_, UV_RUN_DEFAULT); }
void Loop::run_once() noexcept { uv_run(&loop_, UV_RUN_NOWAIT); }

void Loop::stop() noexcept {
  post([this] { uv_stop(&loop_); });
}

void Loop::post(std::function<void()> function) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
  }
  uv_async_send(&wakeup_->async);
}

void Loop::run_posted() noexcept {
  std::vector<std::function<void()>> functions;
  {
    const std::lock_guard lock(mutex_);
    functions.swap(posted_);
  }
  for (const auto& function : functions) function();
}

struct Timer::State final : LoopHandle {
  State(Loop& loop, std::function<void()> f)
      : callback(std::make_shared<std::function<void()>>(std::move(f))) {
    uv_timer_init(loop.uv(), &timer);
    timer.data = static_cast<LoopHandle*>(this);
  }
  void loop_closing() noexcept override {
    uv_close(reinterpret_cast<uv_handle_t*>(&timer),
             [](uv_handle_t* handle) noexcept { delete self<State>(handle); });
  }
  uv_timer_t timer{};
  std::shared_ptr<std::function<void()>>
      callback;  // shared, so that it may destroy its own timer while it runs
};

Timer::Timer(Loop& loop, std::function<void()> callback) : state_(new State(loop, std::move(callback))) {}

Timer::~Timer() {
  if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&state_->timer)) == 0) state_->loop_closing();
}

void Timer::start(std::int64_t after_ms, std::int64_t repeat_ms) noexcept {
  // libuv counts from the turn's start; a long turn must not shorten the wait.
  const auto elapsed = uv_hrtime() / 1'000'000 - uv_now(state_->timer.loop);
  uv_timer_start(
      &state_->timer,
      [](uv_timer_t* handle) noexcept {
        const auto callback = self<State>(handle)->callback;
        (*callback)();
      },
      static_cast<std::uint64_t>(after_ms < 0 ? 0 : after_ms) + elapsed,
      static_cast<std::uint64_t>(repeat_ms < 0 ? 0 : repeat_ms));
}

void Timer::stop() noexcept { uv_timer_stop(&state_->timer); }

bool Timer::active() const noexcept {
  return uv_is_active(reinterpret_cast<const uv_handle_t*>(&state_->timer)) != 0;
}

struct EachTurn::State final : LoopHandle {
  State(Loop& loop, std::function<void()> f)
      : callback(std::make_shared<std::function<void()>>(std::move(f))) {
    uv_check_init(loop.uv(), &check);
    uv_idle_init(loop.uv(), &idle);
    check.data = static_cast<LoopHandle*>(this);
    idle.data = nullptr;  // closed together with `check`
  }
  void loop_closing() noexcept override {
    if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&check)) != 0) return;
    idle.data = static_cast<LoopHandle*>(this);
    const auto closed = [](uv_handle_t* handle) noexcept {
      if (--self<State>(handle)->open_handles == 0) delete self<State>(handle);
    };
    uv_close(reinterpret_cast<uv_handle_t*>(&check), closed);
    uv_close(reinterpret_cast<uv_handle_t*>(&idle), closed);
  }
  int open_handles = 2;
  uv_check_t check{};
  uv_idle_t idle{};
  std::shared_ptr<std::function<void()>> callback;
};

EachTurn::EachTurn(Loop& loop, std::function<void()> callback)
    : state_(new State(loop, std::move(callback))) {}

EachTurn::~EachTurn() {
  stop();
  state_->loop_closing();
}

void EachTurn::start() noexcept {
  uv_idle_start(&state_->idle, [](uv_idle_t*) noexcept {});
  uv_check_start(&state_->check, [](uv_check_t* handle) noexcept {
    const auto callback = self<State>(handle)->callback;
    (*callback)();
  });
}

void EachTurn::stop() noexcept {
  uv_idle_stop(&state_->idle);
  uv_check_stop(&state_->check);
}

}  // namespace wafd::kit
