// What delivery costs beside the bare system calls, in the same run: records of 2.2 KB already in the ring,
// one delivery thread, CPU time of that thread alone, pacing off (it delays and costs nothing), receivers
// that read and drop. rsyslog and syslog-ng are started for real and forward the same messages.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/forward/bare_answers.h"
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
  bool check = false;
};

// The least ratio bare / wafd that --check accepts.
double least_ratio(Transport transport) { return transport == Transport::kUdp ? 0.8 : 0.7; }

// CPU seconds of the delivery of all records, as `cpu_s` counts them; the loop runs on this thread. Where
// receivers answer, until the last answer.
double deliver(bench::Rig& rig, const TargetSettings& t, std::uint64_t messages,
               double (*cpu_s)() = bench::thread_cpu_s, bool paced = false) {
  kit::Loop loop;
  RunnerParts parts{
      .loop = loop, .clock = rig.clock, .random = rig.random, .ring = *rig.ring, .node = "node-1"};
  parts.paced = paced;
  const bool answers = t.transport == Transport::kRelp || t.transport == Transport::kKafka;
  parts.on_progress = [&](const TargetRunner& r) {
    if ((answers ? r.counters().acknowledged : r.counters().sent) >= messages) loop.stop();
  };
  TargetRunner runner(parts, t, *EventQuery::parse("action:deny,monitor"), {rig.ring->oldest(), 0});
  const double before = cpu_s();
  runner.start();
  loop.run();
  return cpu_s() - before;
}

// The median of the rounds' own ratios: the two of a round ran one behind the other.
double print(Transport transport, const char* name, const std::vector<double>& ours,
             const std::vector<double>& bare) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(bare[i] / ours[i]);
  fmt::print("{}  wafd {:.2f}  {} {:.2f}  ratio {:.2f} (of each round: {:.2f} to {:.2f})\n",
             to_string(transport), bench::median(ours), name, bench::median(bare), bench::median(ratios),
             bench::percentile(ratios, 0), bench::percentile(ratios, 1));
  std::fflush(stdout);
  return bench::median(ratios);
}

void row_of_answers(bench::Rig& rig, Transport transport, const Options& options) {
  const bench::Messages messages(*rig.ring, transport);
  const double scale = 1e6 / static_cast<double>(messages.each.size());
  std::vector<double> ours, bare;
  for (int round = 0; round < options.rounds; ++round) {
    if (transport == Transport::kRelp) {
      const bench::RelpDrain drain;
      bare.push_back(scale * bench::bare_relp(messages, drain));
      ours.push_back(scale * deliver(rig, bench::target(transport, drain.at), messages.each.size()));
    } else {
      const bench::KafkaDrain drain;
      bare.push_back(scale * bench::bare_kafka(messages, drain));
      ours.push_back(scale * deliver(rig, drain.target(), messages.each.size(), bench::process_cpu_s));
    }
  }
  print(transport, transport == Transport::kRelp ? "writev() of 64 and answers" : "librdkafka alone", ours,
        bare);
}

// False: short of what --check asks for.
bool row(bench::Rig& rig, Transport transport, const kit::SelfSigned& certificate, const Options& options) {
  const bench::Drain drain(transport, certificate);
  const bench::Frames frames(*rig.ring, transport);
  const std::uint64_t messages = frames.each.size();
  const double scale = 1e6 / static_cast<double>(messages);
  std::vector<double> ours, bare;
  TargetSettings t = bench::target(transport, drain.at);
  t.tls.ca = certificate.certificate_pem;
  for (int round = 0; round < options.rounds; ++round) {
    bare.push_back(scale * (transport == Transport::kUdp   ? bench::bare_send(frames, drain)
                            : transport == Transport::kTcp ? bench::bare_writev(frames, drain)
                                                           : bench::bare_tls(frames, drain)));
    ours.push_back(scale * deliver(rig, t, messages));
  }
  const char* name = transport == Transport::kUdp   ? "send() each"
                     : transport == Transport::kTcp ? "writev() of 64"
                                                    : "SSL_write() of full records";
  const bool good = print(transport, name, ours, bare) >= least_ratio(transport);
  if (!good) fmt::print("{}  the ratio is below {:.1f}\n", to_string(transport), least_ratio(transport));
  if (transport == Transport::kUdp) {
    const auto begin = std::chrono::steady_clock::now();
    deliver(rig, t, messages, bench::thread_cpu_s, true);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print("udp  wafd paced: {:.0f} messages/s of the 20000 allowed\n",
               static_cast<double>(messages) / took.count());
  }
  if (options.no_peer) return good;
  for (const auto kind : {test::ReceiverKind::kRsyslog, test::ReceiverKind::kSyslogNg})
    fmt::print("{}  {} {:.2f}\n", to_string(transport), bench::name_of(kind),
               scale * bench::peer_cpu_s(kind, transport, drain, certificate, frames));
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"CPU seconds a million messages: wafd, the bare system calls, rsyslog, syslog-ng"};
  app.add_option("--messages", options.messages, "Records in the ring")->capture_default_str();
  app.add_option("--rounds", options.rounds, "Of each; the median counts")->capture_default_str();
  app.add_option("--only", options.only, "udp, tcp, tls, relp or kafka");
  app.add_flag("--no-peer", options.no_peer, "Without rsyslog and syslog-ng");
  app.add_flag("--check", options.check, "Fail when a ratio is below 0.8 (UDP) or 0.7 (TCP, TLS)");
  CLI11_PARSE(app, argc, argv);

  bench::Rig rig(options.messages * 4096 + (64 << 20));
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < options.messages; ++i)
    if ((bytes = rig.append(EventId::make(rig.random))) == 0) return 1;
  const auto certificate = kit::make_self_signed({"127.0.0.1"}, rig.clock.unix_us() / 1'000'000, 30).value();
  fmt::print(
      "{} records of {} bytes, {} rounds, medians of CPU seconds a million messages; ratio: bare / wafd\n",
      options.messages, bytes, options.rounds);
  bool good = true;
  for (const Transport transport : {Transport::kUdp, Transport::kTcp, Transport::kTls})
    if (options.only.empty() || options.only == to_string(transport))
      good = row(rig, transport, certificate, options) && good;
  for (const Transport transport : {Transport::kRelp, Transport::kKafka})
    if (options.only.empty() || options.only == to_string(transport)) row_of_answers(rig, transport, options);
  return good || !options.check ? 0 : 1;
}
