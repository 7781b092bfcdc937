// The log of the daemon: lines on stderr, in the form and at the rate that the configuration says (log.*).
#pragma once

#include <memory>
#include <string_view>

#include "config.h"
#include "detect/core/event_record.h"

namespace wafd {

// Makes the logger that spdlog::info() and its like write to. Errors go out whatever the rate says; what is
// left out is said in the next line, or when the logger ends.
void open_log(const Config& config);

// Events as lines of the log (log.events), written by a thread of its own: who judges does not wait for who
// reads stderr. Of more than 1,024 lines that wait the oldest are left out, and counted in the next line.
class EventLog {
 public:
  explicit EventLog(const Config& config);
  ~EventLog();  // writes what waits

  bool wanted() const noexcept;  // false: nothing has to be told
  // Any thread; does not block.
  void tell(const EventRecord& record, std::string_view request_id);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wafd
