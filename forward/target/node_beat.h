// What this node says of itself to the databases into which it writes. Any thread.
#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace wafd::forward {

class NodeBeat {
 public:
  // `instance` tells nodes of one name apart: the ring's generation.
  explicit NodeBeat(std::string instance) : instance_(std::move(instance)) {}

  const std::string& instance() const noexcept { return instance_; }
  void say(std::string json) {
    const std::lock_guard lock(mutex_);
    said_ = std::move(json);
  }
  std::string said() const {  // a JSON object; empty: nothing yet
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  const std::string instance_;
  mutable std::mutex mutex_;
  std::string said_;
};

}  // namespace wafd::forward
