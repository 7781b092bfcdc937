#include "bench/fleet/console_start.h"

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/forward/postgres_kit.h"
#include "tests/support/free_port.h"
#include "tests/support/temp_folder.h"

namespace wafd::bench {
namespace {

constexpr double kPatienceS = 120;

// A connection to loopback; -1: nobody takes it.
int connect_to(std::uint16_t port) {
  const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(handle, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0) return handle;
  ::close(handle);
  return -1;
}

bool is_ready(std::uint16_t http, std::uint16_t console) {
  const int page = connect_to(console);
  if (page < 0) return false;
  ::close(page);
  const int asked = connect_to(http);
  if (asked < 0) return false;
  constexpr std::string_view kAsk = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  std::string answer(64, '\0');
  const bool sent =
      ::send(asked, kAsk.data(), kAsk.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(kAsk.size());
  const ssize_t got = sent ? ::recv(asked, answer.data(), answer.size(), 0) : -1;
  ::close(asked);
  return got > 12 && answer.substr(9, 3) == "200";
}

// One that is ended with this object.
class Process {
 public:
  explicit Process(std::vector<std::string> words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no further process");
    if (pid_ > 0) return;
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, 1), ::dup2(nothing, 2);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~Process() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool ended() const {
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info_, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info_.si_pid == pid_;
  }

 private:
  pid_t pid_ = -1;
  mutable siginfo_t info_{};
};

double start_once(std::vector<std::string> words) {
  const std::uint16_t http = test::free_port(), console = test::free_port(), t1k = test::free_port();
  for (const auto& [key, at] : {std::pair("ingest.http.listen", http), std::pair("console.listen", console),
                                std::pair("ingest.t1k.listen", t1k)}) {
    words.emplace_back("--set");
    words.push_back(fmt::format("{}=127.0.0.1:{}", key, at));
  }
  const double begin = now_s();
  const Process wafd(std::move(words));
  while (!is_ready(http, console)) {
    if (wafd.ended()) throw std::runtime_error("wafd ended: run it by hand");
    if (now_s() - begin > kPatienceS) throw std::runtime_error("wafd is not ready");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // between two looks
  }
  return now_s() - begin;
}

}  // namespace

Started start_consoles(const std::string& program, std::uint16_t port, int rounds) {
  const test::TempFolder folder;
  const std::string password = folder.path + "/password";
  std::ofstream(password) << "secret\n";
  const std::vector<std::string> alone{
      program, "run", "--state-dir", folder.path + "/alone", "--set", "ring.size_mib=16"};
  std::vector<std::string> fleet{program,           "run", "--state-dir", folder.path + "/fleet", "--set",
                                 "ring.size_mib=16"};
  for (const std::string& set :
       {fmt::format("fleet.database=postgresql://{}@127.0.0.1:{}/postgres?sslmode=disable",
                    test::RealPostgres::kOwner, port),
        "fleet.password_file=" + password, std::string("settings.source=fleet")}) {
    fleet.emplace_back("--set");
    fleet.push_back(set);
  }
  std::vector<double> alone_s, fleet_s;
  for (int round = 0; round <= rounds; ++round) {
    const double one = start_once(alone), other = start_once(fleet);
    if (round == 0) continue;
    alone_s.push_back(one), fleet_s.push_back(other);
  }
  return {median(alone_s), median(fleet_s)};
}

}  // namespace wafd::bench
