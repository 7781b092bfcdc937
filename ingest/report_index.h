// Which event a gateway's request became, for response reports that bring only the gateway's own id.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "detect/core/event_id.h"

namespace wafd::ingest {

// Shared by all workers, because a report comes over any pooled connection. Bounded: the oldest entry makes
// room. It is asked only for recorded requests whose gateway announced a report, so the lock is rarely taken.
class ReportIndex {
 public:
  explicit ReportIndex(std::size_t capacity = 65536) : capacity_(capacity == 0 ? 1 : capacity) {}

  void put(std::string_view uuid, const EventId& event);  // up to 64 bytes; longer ones are ignored
  std::optional<EventId> take(std::string_view uuid);     // forgets it
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::size_t capacity_;
  std::unordered_map<std::string, EventId> events_;
  std::vector<std::string> order_;  // ring of keys, oldest at next_
  std::size_t next_ = 0;
};

}  // namespace wafd::ingest
