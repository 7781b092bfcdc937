// Frees things on a thread of its own, so that no worker spends its time on an old rules snapshot, and gives
// the memory back to the system.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace wafd::ingest {

class Janitor {
 public:
  Janitor();
  ~Janitor();  // frees what is left
  Janitor(const Janitor&) = delete;
  Janitor& operator=(const Janitor&) = delete;

  void take(std::shared_ptr<const void> old);  // any thread

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::shared_ptr<const void>> old_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace wafd::ingest
