#include "bench/forward/bare_answers.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <librdkafka/rdkafka.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "forward/io/producers/kafka_conf.h"
#include "forward/protocol/relp_frame.h"
#include "tests/forward/io/mock_kafka.h"
#include "tests/support/real_receiver.h"

namespace wafd::bench {
namespace {

using forward::Transport;
constexpr std::size_t kWindow = 1024, kBatch = 64;

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

}  // namespace

double process_cpu_s() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  const auto s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return s(u.ru_utime) + s(u.ru_stime);
}

RelpDrain::RelpDrain() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t n = sizeof a;
  if (bind(fd_, reinterpret_cast<sockaddr*>(&a), n) != 0 ||
      getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &n) != 0 || listen(fd_, 8) != 0)
    die("bind");
  at = {*IpAddress::parse("127.0.0.1"), ntohs(a.sin_port)};
  thread_ = std::thread([this] {
    while (!stop_) {
      const int from = accept(fd_, nullptr, nullptr);
      if (from >= 0) serve(from);
    }
  });
}

RelpDrain::~RelpDrain() {
  stop_ = true;
  shutdown(fd_, SHUT_RDWR);
  thread_.join();
  close(fd_);
}

void RelpDrain::serve(int descriptor) {
  forward::RelpFrameReader reader(forward::kRelpMaxDataBytes);
  std::vector<char> room(1 << 18);
  std::string answers;
  for (ssize_t got = 1; !stop_ && got > 0;) {
    got = recv(descriptor, room.data(), room.size(), 0);
    if (got > 0) reader.feed({room.data(), static_cast<std::size_t>(got)});
    answers.clear();
    for (forward::RelpFrame frame; reader.next(frame);)
      forward::append_relp_frame(frame.txnr, "rsp", "200 OK",
                                 frame.command == "open" ? "\nrelp_version=0\ncommands=syslog" : "", answers);
    if (!answers.empty() && send(descriptor, answers.data(), answers.size(), MSG_NOSIGNAL) < 0) break;
  }
  close(descriptor);
}

Messages::Messages(const forward::Ring& ring, Transport transport) {
  forward::RingReader reader(ring);
  forward::MessageMaker maker(bench::target(transport, {}), "node-1", {});
  std::uint64_t overtaken = 0;
  for (auto records = reader.read(256, 1 << 20, overtaken); !records.empty();
       records = reader.read(256, 1 << 20, overtaken))
    for (const auto& record : records) {
      const forward::Message m = maker.event(record, 0);
      std::string& out = each.emplace_back();
      if (transport == Transport::kRelp)
        forward::append_relp_frame(static_cast<std::uint32_t>(each.size()) + 1, "syslog", m.header, m.content,
                                   out);
      else
        out.append(m.header).append(m.content);
    }
}

double bare_relp(const Messages& messages, const RelpDrain& drain) {
  const int fd = test::connected_socket(drain.at.port);
  std::string open;
  forward::append_relp_frame(1, "open", "relp_version=0\nrelp_software=bare\ncommands=syslog", "", open);
  char room[65536];
  if (fd < 0 || send(fd, open.data(), open.size(), 0) < 0 || recv(fd, room, sizeof room, 0) <= 0) die("open");
  const double before = thread_cpu_s();
  std::size_t answered = 0;
  // Every answer is one line: "TXNR rsp 6 200 OK".
  const auto take = [&](int flags) {
    const ssize_t got = recv(fd, room, sizeof room, flags);
    if (got > 0) answered += static_cast<std::size_t>(std::count(room, room + got, '\n'));
    return got > 0;
  };
  for (std::size_t sent = 0; sent < messages.each.size();) {
    while (sent + kBatch > answered + kWindow)
      if (!take(0)) die("recv");
    iovec parts[kBatch];
    const std::size_t n = std::min(kBatch, messages.each.size() - sent);
    for (std::size_t k = 0; k < n; ++k)
      parts[k] = {const_cast<char*>(messages.each[sent + k].data()), messages.each[sent + k].size()};
    for (iovec* p = parts; p < parts + n;) {
      ssize_t taken = writev(fd, p, static_cast<int>(parts + n - p));
      if (taken < 0) die("writev");
      while (p < parts + n && taken >= static_cast<ssize_t>(p->iov_len))
        taken -= static_cast<ssize_t>((p++)->iov_len);
      if (p < parts + n) {
        p->iov_base = static_cast<char*>(p->iov_base) + taken;
        p->iov_len -= static_cast<std::size_t>(taken);
      }
    }
    sent += n;
    take(MSG_DONTWAIT);
  }
  while (answered < messages.each.size())
    if (!take(0)) die("recv");
  const double cpu = thread_cpu_s() - before;
  close(fd);
  return cpu;
}

KafkaDrain::KafkaDrain() {
  int ends[2];
  if (pipe(ends) != 0) die("pipe");
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    const test::MockKafka kafka(1, 1);
    const std::uint16_t port = kafka.broker().port;
    if (write(ends[1], &port, sizeof port) != sizeof port) _exit(1);
    for (;;) pause();
  }
  std::uint16_t port = 0;
  if (read(ends[0], &port, sizeof port) != sizeof port) die("no mock cluster");
  close(ends[0]), close(ends[1]);
  at = {*IpAddress::parse("127.0.0.1"), port};
}

KafkaDrain::~KafkaDrain() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

forward::TargetSettings KafkaDrain::target() const {
  forward::TargetSettings t = bench::target(Transport::kKafka, at);
  t.kafka = {{"topic", test::MockKafka::kTopic}, {"compression", "none"}};
  return t;
}

double bare_kafka(const Messages& messages, const KafkaDrain& drain) {
  auto conf = forward::kafka_conf(drain.target(), 0, false).value();
  std::size_t acknowledged = 0;
  rd_kafka_conf_set_opaque(conf.get(), &acknowledged);
  rd_kafka_conf_set_dr_msg_cb(conf.get(), [](rd_kafka_t*, const rd_kafka_message_t* m, void* opaque) {
    if (m->err == RD_KAFKA_RESP_ERR_NO_ERROR) ++*static_cast<std::size_t*>(opaque);
  });
  char why[256];
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf.release(), why, sizeof why);
  if (!producer) die(why);
  const double before = process_cpu_s();
  for (const std::string& m : messages.each)
    while (rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(test::MockKafka::kTopic), RD_KAFKA_V_KEY("0", 1),
                             RD_KAFKA_V_VALUE(const_cast<char*>(m.data()), m.size()),
                             RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                             RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR__QUEUE_FULL)
      rd_kafka_poll(producer, 1);
  while (acknowledged < messages.each.size()) rd_kafka_poll(producer, 10);
  const double cpu = process_cpu_s() - before;
  rd_kafka_destroy(producer);
  return cpu;
}

}  // namespace wafd::bench
