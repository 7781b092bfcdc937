#include "ingest/report_index.h"

namespace wafd::ingest {

void ReportIndex::put(std::string_view uuid, const EventId& event) {
  if (uuid.empty() || uuid.size() > 64) return;
  const std::lock_guard lock(mutex_);
  std::string key(uuid);
  if (const auto [at, added] = events_.try_emplace(key, event); !added) {
    at->second = event;
    return;
  }
  if (order_.size() < capacity_) {
    order_.push_back(std::move(key));
    return;
  }
  events_.erase(order_[next_]);
  order_[next_] = std::move(key);
  next_ = (next_ + 1) % capacity_;
}

std::optional<EventId> ReportIndex::take(std::string_view uuid) {
  const std::lock_guard lock(mutex_);
  const auto found = events_.find(std::string(uuid));
  if (found == events_.end()) return std::nullopt;
  const auto event = found->second;
  events_.erase(found);  // its place in the ring is reused in turn
  return event;
}

std::size_t ReportIndex::size() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

}  // namespace wafd::ingest
