// rsyslog and syslog-ng as senders: each takes byte-counted messages on a port of loopback and forwards
// them. Header-only, like the receivers of tests/support.
#pragma once

#include <csignal>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>

#include "bench/forward/bare_loops.h"
#include "tests/support/real_receiver.h"
#include "tests/support/temp_folder.h"

namespace wafd::bench {

using PeerKind = test::ReceiverKind;

inline const char* name_of(PeerKind kind) { return kind == PeerKind::kRsyslog ? "rsyslog" : "syslog-ng"; }

// `queue` is what each calls safe: rsyslog's disk-assisted queue with retries for ever, syslog-ng's reliable
// disk buffer. Without it: rsyslog as it comes, syslog-ng with flow control.
struct SenderOptions {
  forward::Transport transport = forward::Transport::kTcp;
  std::uint16_t to_port = 0;
  std::string ca_pem;  // of TLS
  bool queue = false;
};

class RealSender {
 public:
  RealSender(PeerKind kind, std::string folder, const SenderOptions& options)
      : kind_(kind), folder_(std::move(folder)), in(test::free_port()) {
    // The receiver's class fetches the daemons.
    test::TempFolder unused;
    test::RealReceiver fetch(kind, unused.path);
    run_ = std::string(WAFD_BUILD_DIR) + "/../receivers/" + name_of(kind) + "/run";
    std::ofstream(folder_ + "/ca.pem") << options.ca_pem;
    std::ofstream(folder_ + "/sender.conf")
        << (kind == PeerKind::kRsyslog ? rsyslog(options) : syslog_ng(options));
  }
  ~RealSender() { stop(SIGKILL); }
  RealSender(const RealSender&) = delete;
  RealSender& operator=(const RealSender&) = delete;

 private:
  PeerKind kind_;
  std::string folder_, run_;
  pid_t pid_ = -1;

 public:
  const std::uint16_t in;  // byte-counted TCP

  void start() {
    pid_ = fork();
    if (pid_ == 0) {
      const int log = open((folder_ + "/sender.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      dup2(log, 1);
      dup2(log, 2);
      const std::string conf = folder_ + "/sender.conf", pid = folder_ + "/sender.pid";
      unlink(pid.c_str());
      if (kind_ == PeerKind::kRsyslog)
        execl(run_.c_str(), "rsyslogd", "-n", "-f", conf.c_str(), "-i", pid.c_str(),
              static_cast<char*>(nullptr));
      else
        execl(run_.c_str(), "syslog-ng", "-F", "-f", conf.c_str(), ("--pidfile=" + pid).c_str(),
              ("--persist-file=" + folder_ + "/sender.persist").c_str(),
              ("--control=" + folder_ + "/sender.ctl").c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    for (int i = 0; i < 1000; ++i) {
      if (test::connects(in)) return;
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    stop(SIGKILL);
    std::ifstream log(folder_ + "/sender.log");
    throw std::runtime_error(std::string(name_of(kind_)) + " as a sender did not start: " +
                             std::string(std::istreambuf_iterator<char>(log), {}));
  }
  // CPU seconds of all its threads over its life.
  double stop(int number) {
    if (pid_ <= 0) return 0;
    ::kill(pid_, number);
    rusage used{};
    int status = 0;
    for (int i = 0; i < 500; ++i) {
      const pid_t gone = wait4(pid_, &status, WNOHANG, &used);
      if (gone == pid_) break;
      if (i == 499) {
        ::kill(pid_, SIGKILL);
        wait4(pid_, &status, 0, &used);
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    pid_ = -1;
    const auto s = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return s(used.ru_utime) + s(used.ru_stime);
  }
  pid_t pid() const noexcept { return pid_; }

 private:
  std::string rsyslog(const SenderOptions& o) const {
    std::string out =
        "global(workDirectory=\"" + folder_ +
        "\" maxMessageSize=\"128k\" parser.escapeControlCharactersOnReceive=\"off\"" +
        (o.transport == forward::Transport::kTls ? " defaultNetstreamDriverCAFile=\"" + folder_ + "/ca.pem\""
                                                 : "") +
        ")\nmodule(load=\"imtcp\")\ntemplate(name=\"raw\" type=\"string\" string=\"%rawmsg%\")\n"
        "ruleset(name=\"out\") { action(type=\"omfwd\" target=\"127.0.0.1\" port=\"" +
        std::to_string(o.to_port) + "\" template=\"raw\" protocol=\"" +
        (o.transport == forward::Transport::kUdp ? "udp" : "tcp") + "\"";
    if (o.transport != forward::Transport::kUdp) out += " TCP_Framing=\"byte-counted\"";
    if (o.transport == forward::Transport::kTls)
      out += " StreamDriver=\"ossl\" StreamDriverMode=\"1\" StreamDriverAuthMode=\"anon\"";
    if (o.queue)
      out +=
          " action.resumeRetryCount=\"-1\" action.resumeInterval=\"1\" queue.type=\"LinkedList\""
          " queue.filename=\"fwd\" queue.maxDiskSpace=\"2g\" queue.saveOnShutdown=\"on\"";
    return out + ") }\ninput(type=\"imtcp\" address=\"127.0.0.1\" port=\"" + std::to_string(in) +
           "\" ruleset=\"out\")\n";
  }
  std::string syslog_ng(const SenderOptions& o) const {
    std::string driver = "syslog(\"127.0.0.1\" port(" + std::to_string(o.to_port) + ") transport(\"" +
                         forward::to_string(o.transport) + "\")";
    if (o.transport == forward::Transport::kTls)
      driver += " tls(ca-file(\"" + folder_ + "/ca.pem\") peer-verify(optional-untrusted))";
    if (o.transport != forward::Transport::kUdp) driver += " template(\"$MSG\")";
    if (o.queue) driver += " disk-buffer(reliable(yes) disk-buf-size(2147483648) dir(\"" + folder_ + "\"))";
    return "@version: 3.38\noptions { log-msg-size(131072); stats-freq(0); time-reopen(1); };\n"
           "source in { syslog(ip(\"127.0.0.1\") port(" +
           std::to_string(in) +
           ") transport(\"tcp\") flags(no-parse) max-connections(100) log-iw-size(100000)); };\n"
           "destination out { " +
           driver +
           "); };\n"
           "log { source(in); destination(out); flags(flow-control); };\n";
  }
};

// CPU seconds that the daemon needs to take all frames by TCP and to forward them to `drain`.
inline double peer_cpu_s(PeerKind kind, forward::Transport transport, const Drain& drain,
                         const kit::SelfSigned& certificate, const Frames& frames) {
  test::TempFolder folder;
  RealSender sender(kind, folder.path, {transport, drain.at.port, certificate.certificate_pem, false});
  sender.start();
  const std::uint64_t before = drain.bytes;
  const int fd = test::connected_socket(sender.in);
  for (const std::string_view message : frames.each) {
    std::string frame;
    if (transport == forward::Transport::kUdp)
      forward::append_frame(forward::Framing::kOctetCounting, message, "", frame);
    const std::string_view all = frame.empty() ? message : std::string_view(frame);
    for (std::size_t at = 0; at < all.size();) {
      const ssize_t n = send(fd, all.data() + at, all.size() - at, MSG_NOSIGNAL);
      if (n <= 0) throw std::runtime_error(std::string(name_of(kind)) + " takes no more");
      at += static_cast<std::size_t>(n);
    }
  }
  // Datagrams are lost at full speed; streams must all be there.
  std::uint64_t last = 0;
  for (int quiet = 0, waited = 0; quiet < 20 && waited < 1200; ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::uint64_t now = drain.bytes - before;
    quiet = now == last ? quiet + 1 : 0;
    last = now;
  }
  close(fd);
  if (transport != forward::Transport::kUdp && last < frames.bytes.size() * 9 / 10)
    throw std::runtime_error(std::string(name_of(kind)) + " forwarded only " + std::to_string(last) + " of " +
                             std::to_string(frames.bytes.size()) + " bytes");
  return sender.stop(SIGTERM);
}

}  // namespace wafd::bench
