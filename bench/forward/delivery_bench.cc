// What delivery costs beside the bare system calls, in the same run: records of about 2.2 KB already in the
// ring, one delivery thread, CPU time of that thread alone. UDP beside a send() loop with the same datagrams,
// TCP beside a writev() of 64 with the same frames. The receiving side is a thread that reads and drops.
// Pacing is off: it delays and costs nothing. Usage: delivery_bench [messages, default 200000]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "forward/framing.h"
#include "forward/io/target_runner.h"
#include "forward/sample_event.h"
#include "ingest/io/kit/system.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

double thread_cpu_s() {
  rusage u{};
  getrusage(RUSAGE_THREAD, &u);
  const auto s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return s(u.ru_utime) + s(u.ru_stime);
}

// Reads and drops, on a thread of its own.
class Drain {
 public:
  explicit Drain(int type) : fd_(socket(AF_INET, type, 0)) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t n = sizeof a;
    if (bind(fd_, reinterpret_cast<sockaddr*>(&a), n) != 0 ||
        getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &n) != 0)
      std::abort();
    if (type == SOCK_STREAM) listen(fd_, 8);
    at = {*IpAddress::parse("127.0.0.1"), ntohs(a.sin_port)};
    thread_ = std::thread([this, type] {
      std::vector<char> room(1 << 20);
      while (!stop_) {
        const int from = type == SOCK_STREAM ? accept(fd_, nullptr, nullptr) : fd_;
        while (!stop_ && recv(from, room.data(), room.size(), 0) > 0) {
        }
        if (type == SOCK_STREAM) close(from);
      }
    });
  }
  ~Drain() {
    stop_ = true;
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }
  Endpoint at;

  int connected(int type) const {
    const int fd = socket(AF_INET, type, 0);
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(at.port);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) != 0) std::abort();
    return fd;
  }

 private:
  int fd_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

struct Rig {
  kit::SystemClock clock;
  kit::SystemRandom random;
  std::string path = std::filesystem::temp_directory_path() / ("wafd-bench-" + std::to_string(getpid()));
  std::unique_ptr<Ring> ring;
  ~Rig() {
    ring.reset();
    std::filesystem::remove(path);
  }
};

TargetSettings target(Transport transport, const Endpoint& to) {
  TargetSettings t;
  t.id = t.name = "bench";
  t.transport = transport;
  t.host = to.address.text();
  t.port = to.port;
  t.max_message_bytes = 65507;
  t.framing = Framing::kOctetCounting;
  return t;
}

// CPU seconds of the delivery of all records; the loop runs on this thread.
double deliver(Rig& rig, Transport transport, const Endpoint& to, std::uint64_t messages) {
  kit::Loop loop;
  RunnerParts parts{loop, rig.clock, rig.random, *rig.ring, "node-1", {}, {}, {}, {}, false, {}};
  parts.on_progress = [&](const TargetRunner& r) {
    if (r.counters().sent >= messages) loop.stop();
  };
  TargetRunner runner(parts, target(transport, to), *EventQuery::parse("action:deny,monitor"),
                 {rig.ring->oldest(), 0});
  const double before = thread_cpu_s();
  runner.start();
  loop.run();
  return thread_cpu_s() - before;
}

std::vector<std::string> frames(Rig& rig, Transport transport, std::size_t n) {
  RingReader reader(*rig.ring);
  MessageMaker maker(target(transport, {}), "node-1", {});
  std::vector<std::string> out;
  std::uint64_t overtaken = 0;
  for (const auto& record : reader.read(n, SIZE_MAX, overtaken)) {
    const Message m = maker.event(record, 0);
    std::string frame;
    if (transport == Transport::kUdp)
      frame.append(m.header).append(m.content);
    else
      append_frame(Framing::kOctetCounting, m.header, m.content, frame);
    out.push_back(std::move(frame));
  }
  return out;
}

double bare_send(const std::vector<std::string>& datagrams, const Drain& drain, std::uint64_t messages) {
  const int fd = drain.connected(SOCK_DGRAM);
  const double before = thread_cpu_s();
  for (std::uint64_t i = 0; i < messages; ++i) {
    const std::string& d = datagrams[i % datagrams.size()];
    if (send(fd, d.data(), d.size(), 0) < 0) std::abort();
  }
  const double cpu = thread_cpu_s() - before;
  close(fd);
  return cpu;
}

double bare_writev(const std::vector<std::string>& all, const Drain& drain, std::uint64_t messages) {
  const int fd = drain.connected(SOCK_STREAM);
  const double before = thread_cpu_s();
  for (std::uint64_t i = 0; i < messages; i += 64) {
    iovec parts[64];
    for (std::size_t k = 0; k < 64; ++k) {
      const std::string& f = all[(i + k) % all.size()];
      parts[k] = {const_cast<char*>(f.data()), f.size()};
    }
    for (iovec* p = parts; p < parts + 64;) {  // a blocking socket still may take a part
      ssize_t n = writev(fd, p, static_cast<int>(parts + 64 - p));
      if (n < 0) std::abort();
      while (p < parts + 64 && n >= static_cast<ssize_t>(p->iov_len))
        n -= static_cast<ssize_t>((p++)->iov_len);
      if (p < parts + 64) {
        p->iov_base = static_cast<char*>(p->iov_base) + n;
        p->iov_len -= static_cast<std::size_t>(n);
      }
    }
  }
  const double cpu = thread_cpu_s() - before;
  close(fd);
  return cpu;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t messages = argc > 1 ? std::strtoull(argv[1], nullptr, 10) / 64 * 64 : 200'000 / 64 * 64;
  Rig rig;
  RingOptions options;
  options.path = rig.path;
  options.size_octets = messages * 4096 + (64 << 20);
  options.sync_interval_ms = 0;
  rig.ring = std::move(Ring::open(options).value());
  ZoneTime utc;
  std::size_t octets = 0;
  for (std::uint64_t i = 0; i < messages; ++i) {
    EventRecord r = sample_event(EventId::make(rig.random), "node-1", rig.clock.unix_us(), utc);
    const std::size_t at = r.json.find("\"body\":\"");
    r.json.insert(at + 8, std::string(640, 'b'));  // to the size of an ordinary attack
    octets = r.json.size();
    if (!rig.ring->append(r)) return 1;
  }
  std::printf("%llu records of %zu octets, five rounds each, medians of CPU seconds a million messages\n",
              static_cast<unsigned long long>(messages), octets);
  for (const Transport transport : {Transport::kUdp, Transport::kTcp}) {
    const int type = transport == Transport::kUdp ? SOCK_DGRAM : SOCK_STREAM;
    const Drain drain(type);
    const auto bare = frames(rig, transport, 4096);
    std::vector<double> ours, theirs;
    for (int round = 0; round < 5; ++round) {
      theirs.push_back(transport == Transport::kUdp ? bare_send(bare, drain, messages)
                                                    : bare_writev(bare, drain, messages));
      ours.push_back(deliver(rig, transport, drain.at, messages));
    }
    const double scale = 1e6 / static_cast<double>(messages);
    const double a = median(ours) * scale, b = median(theirs) * scale;
    std::printf("%s  wafd %.2f  %s %.2f  ratio (bare / wafd) %.2f\n", to_string(transport), a,
                transport == Transport::kUdp ? "send loop" : "writev of 64", b, b / a);
  }
  return 0;
}
