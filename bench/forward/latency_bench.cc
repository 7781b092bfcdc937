// From the append of an event to its bytes at the receiver, at a steady rate: ring, wakeup, filter, message,
// socket, and the receiving thread's read.
#include <cstdio>
#include <mutex>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "bench/forward/bench_kit.h"
#include "bench/forward/loss_parts.h"
#include "forward/io/delivery_loop.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

using Steady = std::chrono::steady_clock;

double us_since(Steady::time_point from) {
  return std::chrono::duration<double, std::micro>(Steady::now() - from).count();
}

// Reads frames and notes when the bytes of each event were there.
class Receiver {
 public:
  explicit Receiver(std::vector<Steady::time_point>& appended)
      : appended_(appended), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t n = sizeof a;
    if (bind(listener_, reinterpret_cast<sockaddr*>(&a), n) != 0 || listen(listener_, 1) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&a), &n) != 0)
      throw std::runtime_error("no port");
    at = {*IpAddress::parse("127.0.0.1"), ntohs(a.sin_port)};
    thread_ = std::thread([this] { serve(); });
  }
  ~Receiver() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  Endpoint at;
  std::atomic<std::uint64_t> count{0};
  std::vector<double> micros;  // read it once nothing comes any more

 private:
  void serve() {
    const int fd = accept(listener_, nullptr, nullptr);
    FrameReader frames(1 << 20);
    std::vector<char> room(1 << 18);
    for (ssize_t n = 1; n > 0;) {
      n = recv(fd, room.data(), room.size(), 0);
      if (n <= 0) break;
      frames.feed({room.data(), static_cast<std::size_t>(n)});
      for (std::string_view m; frames.next(m);) {
        const std::uint64_t number = bench::number_of(m);
        if (number >= appended_.size()) continue;
        micros.push_back(us_since(appended_[number]));
        ++count;
      }
    }
    if (fd >= 0) close(fd);
  }
  std::vector<Steady::time_point>& appended_;
  int listener_;
  std::thread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t rate = 5000, seconds = 10;
  CLI::App app{"Microseconds from the append of an event to its bytes at the receiver"};
  app.add_option("--rate", rate, "Events a second")->capture_default_str();
  app.add_option("--seconds", seconds)->capture_default_str();
  bool check = false;
  app.add_flag("--check", check, "Fail unless the median is below 1 ms and p99 below 5 ms");
  CLI11_PARSE(app, argc, argv);
  const std::uint64_t all = rate * seconds;
  std::vector<Steady::time_point> appended(all);
  bench::Rig rig(all * 4096 + (64 << 20));
  auto cursors = CursorStore::open(rig.cursors()).value();
  std::vector<double> micros;
  {
    Receiver receiver(appended);
    auto delivery = DeliveryLoop::create({rig.clock, rig.random, *rig.ring, *cursors, "node-1"}).value();
    delivery->start();
    delivery->apply({bench::target(Transport::kTcp, receiver.at)});
    const auto begin = Steady::now();
    for (std::uint64_t i = 0; i < all; ++i) {
      const auto due = begin + std::chrono::nanoseconds(i * 1'000'000'000 / rate);
      std::this_thread::sleep_until(due);
      EventId id{};
      for (std::size_t k = 0; k < 8; ++k) id.bytes[k] = static_cast<std::uint8_t>(i >> (56 - 8 * k));
      appended[i] = Steady::now();
      if (rig.append(id) == 0) return 1;
    }
    for (int waited = 0; receiver.count < all && waited < 500; ++waited)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    delivery.reset();
    if (receiver.count != all) return fmt::print("only {} of {} came\n", receiver.count.load(), all), 1;
    micros = receiver.micros;
  }
  fmt::print("{} events at {}/s over TCP: median {:.0f} us, p99 {:.0f} us, p99.9 {:.0f} us, most {:.0f} us\n",
             all, rate, bench::percentile(micros, 0.5), bench::percentile(micros, 0.99),
             bench::percentile(micros, 0.999), bench::percentile(micros, 1));
  const bool good = bench::percentile(micros, 0.5) < 1000 && bench::percentile(micros, 0.99) < 5000;
  if (check && !good) fmt::print("expected a median below 1000 us and p99 below 5000 us\n");
  return check && !good ? 1 : 0;
}
