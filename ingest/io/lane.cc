#include "ingest/io/lane.h"

#include <system_error>
#include <utility>

namespace wafd::ingest {

Lane::Lane(RequestJudge::Parts parts, EngineSnapshot engine, std::shared_ptr<const detect::Policy> policy,
           std::function<void(std::function<void()>)> post)
    : judge_(std::move(parts), std::move(engine), std::move(policy)), post_(std::move(post)) {}

Lane::~Lane() { stop(); }

void Lane::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Lane::begin(std::shared_ptr<Work> work, Turn turn, std::function<void(std::uint64_t)> done) {
  busy_ = true;
  done_ = std::move(done);
  {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    turn_ = turn;
  }
  if (!thread_.joinable() && !start()) return judge_here();
  changed_.notify_one();
}

// False: the system gives no thread now.
bool Lane::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void Lane::judge_here() {
  const std::shared_ptr<Work> work = std::exchange(work_, nullptr);
  post_([this, units = work->judge(judge_, turn_)] { end(units); });
}

void Lane::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || work_ != nullptr; });
    if (work_ == nullptr) return;  // what was begun is judged, also at the end
    const std::shared_ptr<Work> work = std::move(work_);
    const Turn turn = turn_;
    lock.unlock();
    const std::uint64_t units = work->judge(judge_, turn);
    post_([this, units] { end(units); });
    lock.lock();
  }
}

void Lane::end(std::uint64_t units) {
  busy_ = false;
  counters_ = judge_.counters();
  hits_.add(judge_.take_hits());
  for (const auto& function : std::exchange(afterwards_, {})) function();
  std::exchange(done_, {})(units);
}

void Lane::swap(EngineSnapshot engine, std::function<void(EngineSnapshot)> done) {
  // Functions are copied, snapshots are not.
  const auto shared = std::make_shared<EngineSnapshot>(std::move(engine));
  auto now = [this, shared, done = std::move(done)] { done(judge_.swap(std::move(*shared))); };
  if (busy_) {
    afterwards_.emplace_back(std::move(now));
  } else {
    now();
  }
}

void Lane::swap(std::shared_ptr<const detect::Policy> policy,
                std::function<void(std::shared_ptr<const detect::Policy>)> done) {
  auto now = [this, policy = std::move(policy), done = std::move(done)] { done(judge_.swap(policy)); };
  if (busy_) {
    afterwards_.emplace_back(std::move(now));
  } else {
    now();
  }
}

}  // namespace wafd::ingest
