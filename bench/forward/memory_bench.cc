// Anonymous memory of eight targets, dead, deaf, slow and well, while the ring is full and overtakes them.
#include <cstdio>
#include <fstream>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/forward/bench_kit.h"
#include "forward/io/delivery_loop.h"
#include "forward/io/receive/receiver.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

// RssAnon in KiB (proc(5)).
std::uint64_t anonymous_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seconds = 20, rate = 5000;
  CLI::App app{
      "Growth of anonymous memory with eight targets and a ring that overtakes them; exit 1 above 64 MB"};
  app.add_option("--seconds", seconds, "600 for the long run")->capture_default_str();
  app.add_option("--rate", rate, "Events a second")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  bench::Rig rig(32 << 20);
  auto cursors = CursorStore::open(rig.cursors()).value();
  kit::Loop receivers;
  std::atomic<std::uint64_t> received{0};
  const auto count = [&](std::string_view) { ++received; };
  const Endpoint any = *Endpoint::parse("127.0.0.1:0");
  auto tcp = TcpReceiver::open(receivers, any, count, {}).value();
  auto udp = UdpReceiver::open(receivers, any, count).value();
  const auto certificate = kit::make_self_signed({"127.0.0.1"}, rig.clock.unix_us() / 1'000'000, 30).value();
  auto tls = TcpReceiver::open(receivers, any, count, {},
                               kit::TlsContext::server({.certificate_pem = certificate.certificate_pem,
                                                        .key_pem = certificate.key_pem})
                                   .value())
                 .value();
  auto deaf = kit::ListenSockets::tcp(any, 1).value();  // its kernel takes what fits, nobody reads
  std::thread thread([&] { receivers.run(); });

  const auto wait = [&](std::uint64_t until) {
    while (rig.ring->end() < until) {
      const auto next = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
      for (std::uint64_t i = 0; i < rate / 100; ++i) rig.append(EventId::make(rig.random));
      std::this_thread::sleep_until(next);
    }
  };
  auto delivery = DeliveryLoop::create({rig.clock, rig.random, *rig.ring, *cursors, "node-1"}).value();
  delivery->start();
  wait(20'000);  // the ring is full and goes round; no target yet
  const std::uint64_t idle = anonymous_kib();
  std::uint64_t most = idle;

  std::vector<TargetSettings> targets;
  const auto add = [&](const char* id, Transport transport, const Endpoint& to) -> TargetSettings& {
    targets.push_back(bench::target(transport, to));
    targets.back().id = targets.back().name = id;
    targets.back().tls.ca = certificate.certificate_pem;
    return targets.back();
  };
  const Endpoint closed = *Endpoint::parse("127.0.0.1:1");
  add("well-tcp", Transport::kTcp, tcp->local());
  add("well-tls", Transport::kTls, tls->local());
  add("well-udp", Transport::kUdp, udp->local());
  add("slow-tcp", Transport::kTcp, tcp->local()).rate_limit = 50;
  add("deaf-tcp", Transport::kTcp, deaf.local());
  add("deaf-tls", Transport::kTls, deaf.local());
  add("dead-tcp", Transport::kTcp, closed);
  add("dead-udp", Transport::kUdp, closed);
  delivery->apply(targets);
  const std::uint64_t begin = rig.ring->end();
  for (std::uint64_t s = 1; s <= seconds; ++s) {
    wait(begin + s * rate);
    most = std::max(most, anonymous_kib());
    if (s == seconds || s % 60 == 0)
      fmt::print("{:4} s: {:.1f} MB over idle ({:.1f} MB), {} received\n", s,
                 static_cast<double>(anonymous_kib() - std::min(idle, anonymous_kib())) / 1024,
                 static_cast<double>(idle) / 1024, received.load());
  }
  const double grown = static_cast<double>(most - idle) / 1024;
  fmt::print("8 targets, {} events, most: {:.1f} MB over idle, asked: less than 64\n",
             rig.ring->end() - begin, grown);
  rig.remove_files();
  std::exit(grown < 64 ? 0 : 1);  // the deaf receivers would only be waited for
}
