#include "console/io/work_pool.h"

#include <utility>

namespace wafd::console {
namespace {

void give_back(std::map<std::string, std::size_t>& counts, const std::string& user) {
  const auto found = counts.find(user);
  if (found != counts.end() && --found->second == 0) counts.erase(found);
}

bool unwanted(const Background::Task& task) { return task.gone && task.gone->load(); }

}  // namespace

WorkPool::WorkPool(kit::Loop& loop, WorkPoolLimits limits) : loop_(loop), limits_(limits) {
  for (std::size_t i = 0; i < limits_.threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkPool::~WorkPool() {
  {
    const std::lock_guard guard(lock_);
    stopping_ = true;
    waiting_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  *alive_ = false;
}

Background::Taken WorkPool::take(Task task) {
  {
    const std::lock_guard guard(lock_);
    if (stopping_ || waiting_.size() >= limits_.waiting) return Taken::kFull;
    if (!task.user.empty()) {
      std::size_t& held = held_[task.user];
      if (held >= limits_.waiting_of_user) return Taken::kFullOfUser;
      ++held;
    }
    waiting_.push_back(std::move(task));
  }
  wake_.notify_one();
  return Taken::kYes;
}

std::list<Background::Task>::iterator WorkPool::next() {
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (at->user.empty() || unwanted(*at)) return at;
    const auto found = running_.find(at->user);
    if (found == running_.end() || found->second < most_of_user()) return at;
  }
  return waiting_.end();
}

void WorkPool::work() {
  std::unique_lock guard(lock_);
  for (;;) {
    auto at = next();
    if (stopping_) return;
    if (at == waiting_.end()) {
      wake_.wait(guard);
      continue;
    }
    Task task = std::move(*at);
    waiting_.erase(at);
    if (!task.user.empty()) ++running_[task.user];
    guard.unlock();
    if (!unwanted(task)) task.work();
    task.work = {};  // what it holds is freed here
    guard.lock();
    if (!task.user.empty()) {
      give_back(running_, task.user);
      give_back(held_, task.user);
      wake_.notify_one();  // another of this user may run now
    }
    if (stopping_) return;
    loop_.post([alive = alive_, done = std::move(task.done)] {
      if (*alive) done();
    });
  }
}

}  // namespace wafd::console
