// One request after the other through a session of a protocol and a judge that finds nothing, by size of the
// body, whole and in pieces; the peer is a plain copy of the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

#include "ingest/limits.h"
#include "tests/ingest/judge_support.h"

namespace wafd::ingest {

inline constexpr int kBenchHeaders = 12;
inline constexpr std::string_view kBenchValue = "a value of the usual length for a header";

// The judge and the queue of one worker.
struct BenchWorker {
  JudgeBench judging;
  FairQueue queue{64 << 20, 1};
  IngestLimits limits;
};

// `Exchange` has a `session` that has been greeted, made of (BenchWorker&, body bytes), and next(): the bytes
// of one more request.
template <class Exchange>
void exchange(benchmark::State& state) {
  BenchWorker worker;
  Exchange exchange(worker, static_cast<std::size_t>(state.range(0)));
  std::int64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const std::string request = exchange.next();
    std::string out;
    const std::size_t piece = state.range(1) == 0 ? request.size() : static_cast<std::size_t>(state.range(1));
    bytes += static_cast<std::int64_t>(request.size());
    state.ResumeTiming();
    for (std::string_view rest = request; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
      if (!exchange.session.on_bytes(rest.substr(0, piece), worker.judging.clock.monotonic_us(), out))
        state.SkipWithError("request");
    while (run_next(worker.queue, worker.judging.judge)) {
    }
    if (!exchange.session.take_output(out)) state.SkipWithError("answer");
    benchmark::DoNotOptimize(out.data());
  }
  if (worker.judging.judge.counters().requests != static_cast<std::uint64_t>(state.iterations()))
    state.SkipWithError("not every request was judged");
  state.SetBytesProcessed(bytes);
}

template <class Exchange>
void peer_copy(benchmark::State& state) {
  BenchWorker worker;
  const std::string bytes = Exchange(worker, static_cast<std::size_t>(state.range(0))).next();
  std::string into;
  for (auto _ : state) {
    into.assign(bytes);
    benchmark::DoNotOptimize(into.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
}

// A body of a MiB is beyond what one message of some protocols has beside its head.
template <class Exchange>
void measure_session() {
  benchmark::RegisterBenchmark("exchange", exchange<Exchange>)
      ->ArgNames({"body", "piece"})
      ->ArgsProduct({{0, 1 << 10, 64 << 10, 1000 << 10}, {0, 1400}});
  benchmark::RegisterBenchmark("peer_copy", peer_copy<Exchange>)
      ->ArgName("body")
      ->Arg(0)
      ->Arg(1 << 10)
      ->Arg(64 << 10)
      ->Arg(1000 << 10);
}

}  // namespace wafd::ingest

#define WAFD_SESSION_BENCH(EXCHANGE)           \
  int main(int argc, char** argv) {            \
    benchmark::Initialize(&argc, argv);        \
    wafd::ingest::measure_session<EXCHANGE>(); \
    benchmark::RunSpecifiedBenchmarks();       \
    benchmark::Shutdown();                     \
    return 0;                                  \
  }
