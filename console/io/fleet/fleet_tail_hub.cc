#include "console/io/fleet/fleet_tail_hub.h"

#include <algorithm>
#include <utility>

#include "console/io/fleet/fleet_answers.h"

namespace wafd::console {

void FleetTailHub::join(Watcher& watcher) { watchers_.emplace(++last_, &watcher); }

void FleetTailHub::leave(const Watcher& watcher) {
  std::erase_if(watchers_, [&](const auto& one) { return one.second == &watcher; });
}

void FleetTailHub::turn(std::int64_t now_ms) {
  if (const auto look = looks_.take()) {
    next_ms_ = now_ms + (*look ? kLookMs : kRetryMs);
    for (const auto& [number, watcher] : watchers_) watcher->why = *look ? std::string() : look->error().what;
    if (*look) hand_out(**look);
  }
  if (!looks_.busy() && now_ms >= next_ms_ && !watchers_.empty()) ask();
}

void FleetTailHub::ask() {
  asked_for_.clear();
  std::vector<forward::FleetTail::Watch> watches;
  for (const auto& [number, watcher] : watchers_) {
    asked_for_.push_back(number);
    watches.push_back({watcher->filter, watcher->first, watcher->after_us});
  }
  looks_.ask([&database = database_, tail = tail_, watches = std::move(watches)](const auto& over) {
    return ask_fleet(database, over,
                     [&](forward::PgConnection& connection) { return tail->look(connection, watches); });
  });
}

void FleetTailHub::hand_out(const forward::FleetTail::Look& look) {
  // Made once, however many are given it.
  std::vector<std::shared_ptr<const std::string>> texts[2];
  for (auto& of_mask : texts) of_mask.resize(look.events.size());
  for (std::size_t i = 0; i < asked_for_.size(); ++i) {
    const auto at = watchers_.find(asked_for_[i]);
    if (at == watchers_.end()) continue;  // gone meanwhile
    Watcher& watcher = *at->second;
    if (!look.found[i].failed.empty()) {  // it goes on from where it was, once it can be asked
      watcher.why = "the database of the fleet: " + look.found[i].failed;
      watcher.first = true;
      if (watcher.upto_us != 0) watcher.after_us = watcher.upto_us;
      continue;
    }
    watcher.first = false;
    watcher.skipped += look.found[i].skipped;
    watcher.unknown += look.found[i].unknown;
    for (const std::size_t event : look.found[i].events) {
      auto& text = texts[watcher.masked ? 1 : 0][event];
      if (!text) {
        std::string made;
        append_fleet_event(look.events[event], watcher.masked, made);
        text = std::make_shared<const std::string>(std::move(made));
      }
      watcher.waiting.push_back({look.events[event].stored_us, text});
    }
    for (; watcher.waiting.size() > kMaxWaiting; watcher.waiting.pop_front()) ++watcher.skipped;
    watcher.upto_us = look.upto_us;
  }
}

}  // namespace wafd::console
