// The log of the daemon: lines on stderr, in the form and at the rate that the configuration says (log.*).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "config.h"
#include "detect/core/event_record.h"
#include "log_lines.h"

namespace wafd {

// Gets each line that goes to stderr, too, but those of warn_on_stderr(); any thread, one at a time of each
// logger, and must not log or wait. `level`: "debug", "info", "warning", "error", "critical".
using LogTap = std::function<void(std::int64_t unix_us, std::string_view level, const LogLine& line)>;

// Makes the logger that spdlog::info() and its like write to. Errors go out whatever the rate says; what is
// left out is said in the next line, or when the logger ends.
void open_log(const Config& config, LogTap tap = {});

// A warning with a secret in it: on stderr alone, no tap gets it.
void warn_on_stderr(std::string_view line);

// Events as lines of the log (log.events), written by a thread of its own: who judges does not wait for who
// reads stderr. Of more than 1,024 lines that wait the oldest are left out, and counted in the next line.
class EventLog {
 public:
  explicit EventLog(const Config& config, LogTap tap = {});
  ~EventLog();  // as end()

  bool wanted() const noexcept;  // false: nothing has to be told
  // Any thread; does not block.
  void tell(const EventRecord& record, std::string_view request_id);
  // Writes what waits; once nobody tells any more.
  void end();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wafd
