// A call of ext_authz through a session and a judge that finds nothing, by size of the body; the peers are
// the same request by T1K through a session of its own, and a plain copy of the bytes.
#include <benchmark/benchmark.h>

#include "ingest/envoy/envoy_session.h"
#include "ingest/t1k/t1k_session.h"
#include "tests/ingest/envoy_support.h"
#include "tests/ingest/judge_support.h"

namespace {

using namespace wafd::ingest;
using namespace wafd::ingest::envoy;

constexpr int kHeaders = 12;
constexpr const char* kValue = "a value of the usual length for a header";

std::string check_message(std::size_t bytes) {
  std::string http = test::bytes(2, "POST") + test::bytes(4, "/api/v1/orders?page=2&sort=name") +
                     test::bytes(5, "shop.example") + test::bytes(10, "HTTP/1.1");
  for (int i = 0; i < kHeaders; ++i) http += test::header("x-header-" + std::to_string(i), kValue);
  http += test::header("content-length", std::to_string(bytes));
  return test::check(http + test::bytes(12, std::string(bytes, 'b')));
}

std::string t1k_message(std::size_t bytes) {
  const auto section = [](unsigned first_byte, std::string_view data) {
    std::string out(1, static_cast<char>(first_byte));
    for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(data.size() >> shift & 0xff);
    return out.append(data);
  };
  std::string head = "POST /api/v1/orders?page=2&sort=name HTTP/1.1\r\nHost: shop.example\r\n";
  for (int i = 0; i < kHeaders; ++i) head += "X-Header-" + std::to_string(i) + ": " + kValue + "\r\n";
  head += "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
  return section(0x41, head) + section(0x02, std::string(bytes, 'b')) + section(0xa0, "Proto:3\n");
}

// The judge and the queue of one worker.
struct Engine {
  JudgeBench bench;
  FairQueue queue{64 << 20, 1};
  IngestLimits limits;
  void turns() {
    while (run_next(queue, bench.judge)) {
    }
  }
};

void envoy_call(benchmark::State& state) {
  const std::string message = check_message(static_cast<std::size_t>(state.range(0)));
  // So that there is always room for the answers.
  const std::string window = test::frame(8, 0, 0, std::string("\0\0\x10\0", 4));
  Engine engine;
  Counters counters;
  Session session({engine.bench.judge, engine.bench.clock, engine.queue, counters, engine.limits});
  std::string out;
  if (!session.on_bytes(test::preface(), 0, out) || !session.on_bytes(test::acknowledged(), 0, out))
    state.SkipWithError("preface");
  std::uint32_t stream = 1;
  for (auto _ : state) {
    state.PauseTiming();
    const std::string bytes = test::call(stream, message) + window;
    state.ResumeTiming();
    stream += 2;
    out.clear();
    if (!session.on_bytes(bytes, engine.bench.clock.monotonic_us(), out)) state.SkipWithError("call");
    engine.turns();
    if (!session.take_output(out)) state.SkipWithError("answer");
    benchmark::DoNotOptimize(out.data());
  }
  if (engine.bench.judge.counters().requests != static_cast<std::uint64_t>(state.iterations()))
    state.SkipWithError("not every call was judged");
}
BENCHMARK(envoy_call)->ArgName("body")->Arg(0)->Arg(1 << 10)->Arg(64 << 10)->Arg(1000 << 10);

void peer_t1k(benchmark::State& state) {
  const std::string bytes = t1k_message(static_cast<std::size_t>(state.range(0)));
  Engine engine;
  t1k::Counters counters;
  ReportIndex reports;
  t1k::Session session(
      {engine.bench.judge, engine.bench.clock, engine.queue, reports, counters, engine.limits});
  std::string out;
  for (auto _ : state) {
    state.PauseTiming();
    state.ResumeTiming();
    out.clear();
    if (!session.on_bytes(bytes, engine.bench.clock.monotonic_us(), out)) state.SkipWithError("message");
    engine.turns();
    if (!session.take_output(out)) state.SkipWithError("answer");
    benchmark::DoNotOptimize(out.data());
  }
  if (engine.bench.judge.counters().requests != static_cast<std::uint64_t>(state.iterations()))
    state.SkipWithError("not every request was judged");
}
BENCHMARK(peer_t1k)->ArgName("body")->Arg(0)->Arg(1 << 10)->Arg(64 << 10)->Arg(1000 << 10);

void peer_copy(benchmark::State& state) {
  const std::string bytes = test::call(1, check_message(static_cast<std::size_t>(state.range(0))));
  std::string into;
  for (auto _ : state) {
    into.assign(bytes);
    benchmark::DoNotOptimize(into.data());
  }
}
BENCHMARK(peer_copy)->ArgName("body")->Arg(0)->Arg(1 << 10)->Arg(64 << 10)->Arg(1000 << 10);

}  // namespace

BENCHMARK_MAIN();
