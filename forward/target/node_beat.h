// The state that this node publishes to the databases it writes to. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace wafd::forward {

class NodeBeat {
 public:
  static constexpr std::int64_t kStaleMs = 20'000;

  // `instance` tells nodes of one name apart: the ring's generation.
  explicit NodeBeat(std::string instance) : instance_(std::move(instance)) {}

  const std::string& instance() const noexcept { return instance_; }
  // Times are those of a steady clock.
  void say(std::string json, std::int64_t now_ms) {
    const std::lock_guard lock(mutex_);
    said_ = std::move(json);
    said_ms_ = now_ms;
  }
  // A JSON object; empty: nothing yet, or nothing lately, so a node that hangs is silent.
  std::string said(std::int64_t now_ms) const {
    const std::lock_guard lock(mutex_);
    return now_ms - said_ms_ > kStaleMs ? std::string() : said_;
  }

 private:
  const std::string instance_;
  mutable std::mutex mutex_;
  std::string said_;
  std::int64_t said_ms_ = 0;
};

}  // namespace wafd::forward
