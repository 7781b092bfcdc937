// Counts what the ring gets, in turns of bounded work, and keeps the counts in a file. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "forward/ring/ring.h"
#include "forward/trend/trend_counts.h"

namespace wafd::forward {

class TrendStore {
 public:
  // A file that cannot be read is put aside as FILE.damaged: notice() says so. Counting goes on where the
  // file ends, or with what the ring holds.
  TrendStore(const Ring& ring, std::string file, std::function<void(const std::string&)> log);

  // True: there was something to count, and there may be more.
  bool turn();
  // Requests since the last call, of counters that only grow.
  void requests(std::int64_t now_ms, std::uint64_t requests, std::uint64_t unjudged);
  void save_sometimes(std::int64_t monotonic_ms);
  void save();

  const TrendCounts& counts() const noexcept { return counts_; }
  const std::string& notice() const noexcept { return notice_; }

 private:
  void keep_damaged_file(const std::string& why);

  std::string file_;
  std::function<void(const std::string&)> log_;
  RingReader reader_;
  TrendCounts counts_;
  std::string notice_;
  std::uint64_t requests_ = 0;
  std::uint64_t unjudged_ = 0;
  std::int64_t saved_ms_ = 0;
  bool changed_ = false;
};

}  // namespace wafd::forward
