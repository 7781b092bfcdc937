#include "bench/fleet/server_cpu.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include <unistd.h>

namespace wafd::bench {
namespace {

constexpr std::size_t kParent = 1, kUser = 11, kSystem = 12, kChildrenUser = 13,
                      kChildrenSystem = 14;  // behind the state

// Fields of /proc/PID/stat behind the name, the state first; see proc(5).
std::vector<std::string> stat_of(const std::string& folder) {
  std::ifstream file(folder + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  return {std::istream_iterator<std::string>(fields), {}};
}

double ms_of(const std::string& ticks) {
  return std::stod(ticks) * 1000 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

ServerCpu::ServerCpu(const std::string& session_pid)
    : session_("/proc/" + session_pid), server_("/proc/" + stat_of(session_).at(kParent)) {}

double ServerCpu::ms() const {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // helpers end behind the answer
  const auto session = stat_of(session_), server = stat_of(server_);
  return ms_of(session.at(kUser)) + ms_of(session.at(kSystem)) + ms_of(server.at(kChildrenUser)) +
         ms_of(server.at(kChildrenSystem));
}

}  // namespace wafd::bench
