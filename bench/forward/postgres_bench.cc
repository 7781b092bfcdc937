// Events a second into a real PostgreSQL beside bare COPY of the same rows into a table of the same columns
// and indexes, in the same run: by wall clock, because the database's own work is what both wait for.
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/forward/postgres_kit.h"
#include "forward/io/target_runner.h"

using namespace wafd;
using namespace wafd::forward;

namespace {

double deliver(bench::Rig& rig, const TargetSettings& t, std::uint64_t messages) {
  kit::Loop loop;
  RunnerParts parts{
      .loop = loop, .clock = rig.clock, .random = rig.random, .ring = *rig.ring, .node = "node-1"};
  parts.on_progress = [&](const TargetRunner& r) {
    if (r.counters().acknowledged >= messages) loop.stop();
  };
  TargetRunner runner(parts, t, EventQuery(), {rig.ring->oldest(), 0});
  const double before = bench::now_s();
  runner.start();
  loop.run();
  return bench::now_s() - before;
}

}  // namespace

int main(int argc, char** argv) try {
  std::uint64_t messages = 30'000;
  int rounds = 3;
  bool check = false;
  CLI::App app{"Events a second into PostgreSQL beside bare COPY"};
  app.add_option("--messages", messages, "Events a round");
  app.add_option("--rounds", rounds, "Of both, one behind the other");
  app.add_flag("--check", check, "Fail below 0.6 of bare COPY");
  CLI11_PARSE(app, argc, argv);

  const test::RealPostgres server;
  bench::Rig rig(messages * 4096 + (64u << 20));
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < messages; ++i) bytes += rig.append(EventId::make(rig.random));
  const TargetSettings t = bench::postgres_target(server.port);
  (void)deliver(rig, t, messages);  // makes the tables
  bench::CopySession session(server.port);
  const auto rows = session.copy_out("COPY (SELECT * FROM wafd_events) TO STDOUT");
  server.sql("CREATE TABLE bare (LIKE wafd_events INCLUDING ALL)");
  std::vector<double> ratios, ours, bare;
  for (int round = 0; round < rounds; ++round) {
    server.sql("TRUNCATE wafd_events; TRUNCATE bare; CHECKPOINT");
    ours.push_back(deliver(rig, t, messages));
    server.sql("CHECKPOINT");
    const double before = bench::now_s();
    session.copy_in("COPY bare FROM STDIN", rows);
    bare.push_back(bench::now_s() - before);
    ratios.push_back(bare.back() / ours.back());
  }
  const double count = static_cast<double>(messages);
  fmt::print(
      "{} events of {} bytes: wafd {:.0f} a second, bare COPY {:.0f}, ratio {:.2f} (of each round: {:.2f} to "
      "{:.2f})\n",
      messages, bytes / messages, count / bench::median(ours), count / bench::median(bare),
      bench::median(ratios), bench::percentile(ratios, 0), bench::percentile(ratios, 1));
  return check && bench::median(ratios) < 0.6 ? 1 : 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "postgres_bench: {}\n", error.what());
  return 2;
}
