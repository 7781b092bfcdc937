// rsyslog and syslog-ng started for real, as packaged, each on free ports of loopback with a configuration of
// its own that writes every message as it came, one a line. Header-only, so that any test may use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/free_port.h"

namespace wafd::test {

// A socket connected to a port of loopback; -1: nobody listens.
inline int connected_socket(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// A connection that is closed at once does no harm to either daemon.
inline bool connects(std::uint16_t port) {
  const int fd = connected_socket(port);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

enum class ReceiverKind : std::uint8_t { kRsyslog, kSyslogNg };

class RealReceiver {
 public:
  // `folder` must be absolute and there. Fetches the daemons if they are not there yet; throws if that fails.
  // With a certificate and its key (PEM) it takes TLS too, from anybody.
  RealReceiver(ReceiverKind kind, std::string folder, const std::string& certificate = "",
               const std::string& key = "")
      : kind_(kind), folder_(std::move(folder)) {
    const std::string home = std::string(WAFD_BUILD_DIR) + "/../receivers";
    const std::string fetch = std::string(WAFD_SOURCE_DIR) + "/tests/support/fetch_receivers " + home;
    run_ = home + (kind == ReceiverKind::kRsyslog ? "/rsyslog/run" : "/syslog-ng/run");
    if (std::system(fetch.c_str()) != 0)
      throw std::runtime_error("rsyslog and syslog-ng cannot be fetched: " + fetch);
    udp = free_port();
    tcp = free_port();
    tcp_lf = kind == ReceiverKind::kRsyslog ? tcp : free_port();
    relp = free_port();
    if (!certificate.empty()) {
      tls = free_port();
      std::ofstream(folder_ + "/receiver.crt") << certificate;
      std::ofstream(folder_ + "/receiver.key") << key;
    }
    std::ofstream(folder_ + "/receiver.conf")
        << (kind == ReceiverKind::kRsyslog ? rsyslog_conf() : syslog_ng_conf());
  }
  ~RealReceiver() { stop(SIGKILL); }
  RealReceiver(const RealReceiver&) = delete;
  RealReceiver& operator=(const RealReceiver&) = delete;

  std::uint16_t udp = 0;
  std::uint16_t tcp = 0;        // octet counting (rsyslog: either)
  std::uint16_t tcp_lf = 0;     // LF
  std::uint16_t tls = 0;        // octet counting; 0: no certificate was given
  std::uint16_t relp = 0;       // rsyslog alone; 0: not in its configuration
  std::uint16_t more_port = 0;  // of append_conf(), 127.0.0.1; 0: none

  void append_conf(const std::string& text) const {
    std::ofstream(folder_ + "/receiver.conf", std::ios::app) << text;
  }
  // Waits until it listens.
  void start() {
    std::filesystem::remove(folder_ + "/pid");
    pid_ = fork();
    if (pid_ == 0) {
      const int log = open((folder_ + "/daemon.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(log, 1);
      dup2(log, 2);
      const std::string conf = folder_ + "/receiver.conf", pid = folder_ + "/pid";
      const std::string persist = "--persist-file=" + folder_ + "/persist",
                        control = "--control=" + folder_ + "/ctl";
      if (kind_ == ReceiverKind::kRsyslog)
        execl(run_.c_str(), "rsyslogd", "-n", "-f", conf.c_str(), "-i", pid.c_str(),
              static_cast<char*>(nullptr));
      else
        execl(run_.c_str(), "syslog-ng", "-F", "-f", conf.c_str(), ("--pidfile=" + pid).c_str(),
              persist.c_str(), control.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    for (int i = 0; i < 1000; ++i) {
      if (connects(tcp) && connects(tcp_lf) && (tls == 0 || connects(tls)) &&
          (kind_ != ReceiverKind::kRsyslog || relp == 0 || connects(relp)) &&
          (more_port == 0 || connects(more_port)))
        return;
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    stop(SIGKILL);
    std::ifstream log(folder_ + "/daemon.log");
    throw std::runtime_error("the receiver did not start: " +
                             std::string(std::istreambuf_iterator<char>(log), {}));
  }
  // A stopped process has stopped when this returns: the kernel takes its time.
  void signal(int number) const {
    ::kill(pid_, number);
    if (number == SIGSTOP) ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void stop(int number) {
    if (pid_ <= 0) return;
    ::kill(pid_, number);
    if (number != SIGCONT) ::kill(pid_, SIGCONT);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  std::string out_file() const { return folder_ + "/out"; }
  // Every line written so far, but for one that is not yet whole.
  std::vector<std::string> lines() const {
    std::vector<std::string> out;
    std::ifstream file(folder_ + "/out", std::ios::binary);
    for (std::string line; std::getline(file, line);)
      if (!file.eof()) out.push_back(std::move(line));
    return out;
  }

 private:
  std::string rsyslog_conf() const {
    return "global(workDirectory=\"" + folder_ +
           "\" maxMessageSize=\"128k\" parser.escapeControlCharactersOnReceive=\"off\")\n"
           "main_queue(queue.type=\"Direct\")\n"
           "module(load=\"imudp\")\nmodule(load=\"imtcp\" maxSessions=\"1000\")\n"
           "module(load=\"imrelp\" tls.tlslib=\"openssl\")\n"
           "template(name=\"raw\" type=\"string\" string=\"%rawmsg%\\n\")\n"
           "ruleset(name=\"all\") { action(type=\"omfile\" file=\"" +
           folder_ +
           "/out\" template=\"raw\") }\n"
           "input(type=\"imudp\" address=\"127.0.0.1\" port=\"" +
           std::to_string(udp) +
           "\" ruleset=\"all\")\n"
           "input(type=\"imtcp\" address=\"127.0.0.1\" port=\"" +
           std::to_string(tcp) +
           "\" ruleset=\"all\")\n"
           "input(type=\"imrelp\" address=\"127.0.0.1\" port=\"" +
           std::to_string(relp) + "\" maxDataSize=\"128k\" ruleset=\"all\")\n" +
           (tls == 0 ? "" : rsyslog_tls());
  }
  std::string rsyslog_tls() const {
    return "input(type=\"imtcp\" address=\"127.0.0.1\" port=\"" + std::to_string(tls) +
           "\" ruleset=\"all\" streamDriver.name=\"ossl\" streamDriver.mode=\"1\""
           " streamDriver.authMode=\"anon\" streamDriver.certFile=\"" +
           folder_ + "/receiver.crt\" streamDriver.keyFile=\"" + folder_ +
           "/receiver.key\" streamDriver.caFile=\"" + folder_ + "/receiver.crt\")\n";
  }
  std::string syslog_ng_conf() const {
    const auto at = [](std::uint16_t port) { return "ip(\"127.0.0.1\") port(" + std::to_string(port) + ")"; };
    return "@version: 3.38\n"
           "options { log-msg-size(131072); stats-freq(0); flush-lines(1); };\n"
           "source all {\n"
           "  network(" +
           at(udp) +
           " transport(\"udp\") flags(no-parse));\n"
           "  network(" +
           at(tcp_lf) +
           " transport(\"tcp\") flags(no-parse) max-connections(100));\n"
           "  syslog(" +
           at(tcp) + " transport(\"tcp\") flags(no-parse) max-connections(100));\n" +
           (tls == 0 ? std::string()
                     : "  syslog(" + at(tls) +
                           " transport(\"tls\") flags(no-parse) max-connections(100) tls(cert-file(\"" +
                           folder_ + "/receiver.crt\") key-file(\"" + folder_ +
                           "/receiver.key\") peer-verify(optional-untrusted)));\n") +
           "};\n"
           "destination out { file(\"" +
           folder_ +
           "/out\" template(\"$MSG\\n\")); };\n"
           "log { source(all); destination(out); flags(flow-control); };\n";
  }

  ReceiverKind kind_;
  std::string folder_, run_;
  pid_t pid_ = -1;
};

}  // namespace wafd::test
