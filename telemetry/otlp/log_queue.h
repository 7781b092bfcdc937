// Lines of the log that wait to be sent. Any thread; nobody who logs waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace wafd::telemetry {

struct LogRecord {
  std::int64_t time_us = 0;  // Unix time
  std::string level;         // "debug", "info", "warning", "error", "critical"
  std::string message;
  std::vector<std::pair<std::string, std::string>> attributes = {};

  std::size_t bytes() const noexcept;
};

class LogQueue {
 public:
  static constexpr std::size_t kMaxRecords = 2048;
  static constexpr std::size_t kMaxBytes = 4u << 20;
  static constexpr std::size_t kMaxTakenBytes = 1u << 20;  // receivers limit requests

  // Of more than fit the oldest are dropped, and counted.
  void push(LogRecord record);
  // The oldest, at most `count`, and no more than kMaxTakenBytes unless one alone is larger.
  std::vector<LogRecord> take(std::size_t count);
  // True: what take(count) gives is as much as it may be.
  bool fills(std::size_t count) const;
  std::uint64_t dropped() const;

 private:
  mutable std::mutex mutex_;
  std::deque<LogRecord> records_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace wafd::telemetry
