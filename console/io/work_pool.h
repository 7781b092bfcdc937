// Background on threads of its own: one pool for searches and the like, one for passwords, so that neither
// waits for the other.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "console/base/background.h"
#include "ingest/io/kit/loop.h"

namespace wafd::console {

struct WorkPoolLimits {
  std::size_t threads = 4;
  std::size_t waiting = 64;          // tasks, all users
  std::size_t waiting_of_user = 16;  // tasks under way and waiting
};

// Lives on the console loop; take() only there.
class WorkPool final : public Background {
 public:
  explicit WorkPool(kit::Loop& loop, WorkPoolLimits limits = {});
  // Drops what has not begun and waits for the rest; no `done` runs any more.
  ~WorkPool() override;
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  Taken take(Task task) override;

 private:
  void work();
  std::list<Task>::iterator next();  // that may run now; under lock_
  std::size_t most_of_user() const noexcept { return limits_.threads < 2 ? 1 : limits_.threads / 2; }

  kit::Loop& loop_;
  const WorkPoolLimits limits_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // of the loop's thread
  std::mutex lock_;
  std::condition_variable wake_;
  std::list<Task> waiting_;                     // in order of arrival
  std::map<std::string, std::size_t> running_;  // by user
  std::map<std::string, std::size_t> held_;     // running and waiting, by user
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wafd::console
