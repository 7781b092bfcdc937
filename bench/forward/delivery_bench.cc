// What delivery costs beside the bare system calls, in the same run: records of 2.2 KB already in the ring,
// one delivery thread, CPU time of that thread alone, pacing off (it delays and costs nothing), receivers
// that read and drop. rsyslog and syslog-ng are started for real and forward the same messages.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/forward/bare_loops.h"
#include "bench/forward/real_sender.h"
#include "forward/io/target_runner.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

struct Options {
  std::uint64_t messages = 100'000;
  int rounds = 5;
  std::string only;
  bool no_peer = false;
};

// CPU seconds of the delivery of all records; the loop runs on this thread.
double deliver(bench::Rig& rig, Transport transport, const bench::Drain& to, const std::string& ca,
               std::uint64_t messages, bool paced = false) {
  kit::Loop loop;
  RunnerParts parts{
      .loop = loop, .clock = rig.clock, .random = rig.random, .ring = *rig.ring, .node = "node-1"};
  parts.paced = paced;
  double before = 0;
  parts.on_progress = [&](const TargetRunner& r) {
    if (r.counters().sent >= messages) loop.stop();
  };
  TargetSettings t = bench::target(transport, to.at);
  t.tls.ca = ca;
  TargetRunner runner(parts, t, *EventQuery::parse("action:deny,monitor"), {rig.ring->oldest(), 0});
  before = bench::thread_cpu_s();
  runner.start();
  loop.run();
  return bench::thread_cpu_s() - before;
}

void row(bench::Rig& rig, Transport transport, const kit::SelfSigned& certificate, const Options& options) {
  const bench::Drain drain(transport, certificate);
  const bench::Frames frames(*rig.ring, transport);
  const std::uint64_t messages = frames.each.size();
  const double scale = 1e6 / static_cast<double>(messages);
  std::vector<double> ours, bare, ratios;
  for (int round = 0; round < options.rounds; ++round) {
    bare.push_back(scale * (transport == Transport::kUdp   ? bench::bare_send(frames, drain)
                            : transport == Transport::kTcp ? bench::bare_writev(frames, drain)
                                                           : bench::bare_tls(frames, drain)));
    ours.push_back(scale * deliver(rig, transport, drain, certificate.certificate_pem, messages));
    ratios.push_back(bare.back() / ours.back());
  }
  const char* name = transport == Transport::kUdp   ? "send() each"
                     : transport == Transport::kTcp ? "writev() of 64"
                                                    : "SSL_write() of full records";
  fmt::print("{}  wafd {:.2f}  {} {:.2f}  ratio {:.2f} (of each round: {:.2f} to {:.2f})\n",
             to_string(transport), bench::median(ours), name, bench::median(bare),
             bench::median(bare) / bench::median(ours), bench::percentile(ratios, 0),
             bench::percentile(ratios, 1));
  if (transport == Transport::kUdp) {
    const auto begin = std::chrono::steady_clock::now();
    deliver(rig, transport, drain, "", messages, true);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print("udp  wafd paced: {:.0f} messages/s of the 20000 allowed\n",
               static_cast<double>(messages) / took.count());
  }
  if (options.no_peer) return;
  for (const auto kind : {test::RealReceiver::Kind::kRsyslog, test::RealReceiver::Kind::kSyslogNg})
    fmt::print("{}  {} {:.2f}\n", to_string(transport), bench::name_of(kind),
               scale * bench::peer_cpu_s(kind, transport, drain, certificate, frames));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"CPU seconds a million messages: wafd, the bare system calls, rsyslog, syslog-ng"};
  app.add_option("--messages", options.messages, "Records in the ring")->capture_default_str();
  app.add_option("--rounds", options.rounds, "Of each; the median counts")->capture_default_str();
  app.add_option("--only", options.only, "udp, tcp or tls");
  app.add_flag("--no-peer", options.no_peer, "Without rsyslog and syslog-ng");
  CLI11_PARSE(app, argc, argv);

  bench::Rig rig(options.messages * 4096 + (64 << 20));
  std::size_t octets = 0;
  for (std::uint64_t i = 0; i < options.messages; ++i)
    if ((octets = rig.append(EventId::make(rig.random))) == 0) return 1;
  const auto certificate = kit::make_self_signed({"127.0.0.1"}, rig.clock.unix_us() / 1'000'000, 30).value();
  fmt::print(
      "{} records of {} octets, {} rounds, medians of CPU seconds a million messages; ratio: bare / wafd\n",
      options.messages, octets, options.rounds);
  for (const Transport transport : {Transport::kUdp, Transport::kTcp, Transport::kTls})
    if (options.only.empty() || options.only == to_string(transport))
      row(rig, transport, certificate, options);
  return 0;
}
