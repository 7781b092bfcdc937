// Asks the fleet's database what is new, for all live tails of this console together, and hands it to each.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "console/io/fleet/background_query.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_tail.h"

namespace wafd::console {

// On the console loop; it asks on a thread of `pool`.
class FleetTailHub {
 public:
  static constexpr std::int64_t kLookMs = 500;
  static constexpr std::int64_t kRetryMs = 2'000;
  // Of a client that does not take them: what is older is counted and left out.
  static constexpr std::size_t kMaxWaiting = 1'000;

  struct Told {
    std::int64_t stored_us = 0;
    std::shared_ptr<const std::string> event;  // as the API gives it
  };

  // One live tail. The hub fills it between two turns; it is there from join() to leave().
  struct Watcher {
    std::shared_ptr<const forward::FleetFilter> filter;
    bool masked = false;
    std::optional<std::int64_t> after_us;  // where it begins; none: at the present end
    bool first = true;
    std::int64_t upto_us = 0;  // how far it was looked for it; 0: not yet
    std::deque<Told> waiting;  // the oldest first
    std::uint64_t skipped = 0, unknown = 0;
    std::string why;  // the database does not answer
  };

  // Both outlive it.
  FleetTailHub(forward::FleetDatabase& database, Background& pool) : database_(database), looks_(pool) {}

  void join(Watcher& watcher);
  void leave(const Watcher& watcher);
  // Called by each of them as often as it likes.
  void turn(std::int64_t now_ms);

 private:
  void ask();
  void hand_out(const forward::FleetTail::Look& look);

  forward::FleetDatabase& database_;
  std::shared_ptr<forward::FleetTail> tail_ = std::make_shared<forward::FleetTail>();
  std::map<std::uint64_t, Watcher*> watchers_;  // in the order of joining
  std::uint64_t last_ = 0;
  std::vector<std::uint64_t> asked_for_;  // those of the question under way
  BackgroundQuery<forward::FleetTail::Look> looks_;
  std::int64_t next_ms_ = 0;
};

}  // namespace wafd::console
