// How many events there were of each action: never one number, because blocked, would-block and
// below-threshold are three things.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// The `limit` items of a map whose counts (`actions`) are largest, most first; of equal ones by key.
template <class Map>
std::vector<const typename Map::value_type*> most_first(const Map& map, std::size_t limit) {
  using Item = typename Map::value_type;
  std::vector<const Item*> order;
  order.reserve(map.size());
  for (const Item& item : map) order.push_back(&item);
  const std::size_t shown = std::min(limit, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [](const Item* a, const Item* b) {
                      const auto left = a->second.actions.total();
                      const auto right = b->second.actions.total();
                      return left != right ? left > right : a->first < b->first;
                    });
  order.resize(shown);
  return order;
}

}  // namespace wafd::console
