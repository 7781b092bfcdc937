// How many events there were of each action: never one number, because blocked, would-block and
// below-threshold are three things.
#pragma once

#include <cstdint>

#include "detect/core/verdict.h"

namespace wafd::console {

struct ActionCounts {
  std::uint64_t deny = 0;
  std::uint64_t monitor = 0;
  std::uint64_t allow = 0;

  void add(Action action) noexcept {
    (action == Action::kDeny ? deny : action == Action::kMonitor ? monitor : allow) += 1;
  }
  std::uint64_t total() const noexcept { return deny + monitor + allow; }
};

}  // namespace wafd::console
