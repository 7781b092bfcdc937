#include "telemetry/otlp/log_queue.h"

#include <algorithm>

namespace wafd::telemetry {

std::size_t LogRecord::bytes() const noexcept {
  std::size_t sum = sizeof(LogRecord) + level.size() + message.size();
  for (const auto& [name, value] : attributes) sum += name.size() + value.size() + 64;
  return sum;
}

void LogQueue::push(LogRecord record) {
  const std::lock_guard lock(mutex_);
  bytes_ += record.bytes();
  records_.push_back(std::move(record));
  while (records_.size() > kMaxRecords || bytes_ > kMaxBytes) {
    bytes_ -= records_.front().bytes();
    records_.pop_front();
    ++dropped_;
  }
}

std::vector<LogRecord> LogQueue::take(std::size_t count) {
  const std::lock_guard lock(mutex_);
  std::vector<LogRecord> out;
  out.reserve(std::min(count, records_.size()));
  std::size_t taken = 0;
  while (out.size() < count && !records_.empty()) {
    const std::size_t next = records_.front().bytes();
    if (taken > 0 && taken + next > kMaxTakenBytes) break;
    taken += next;
    bytes_ -= next;
    out.push_back(std::move(records_.front()));
    records_.pop_front();
  }
  return out;
}

bool LogQueue::fills(std::size_t count) const {
  const std::lock_guard lock(mutex_);
  return records_.size() >= count || bytes_ >= kMaxTakenBytes;
}

std::uint64_t LogQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace wafd::telemetry
