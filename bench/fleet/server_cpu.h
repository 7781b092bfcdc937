// What a PostgreSQL on this machine spends of the processor, whoever else does what beside it.
#pragma once

#include <string>

namespace wafd::bench {

// Milliseconds of one session's process and of all helpers of the server that have ended, so far. Where cores
// are shared with others, differences of it say more than a clock on the wall.
class ServerCpu {
 public:
  explicit ServerCpu(const std::string& session_pid);
  double ms() const;

 private:
  std::string session_, server_;  // folders of /proc
};

}  // namespace wafd::bench
