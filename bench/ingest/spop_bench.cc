// A NOTIFY through the pure code, by shape and size: frame, arguments, request, ACK; the peer is a plain copy
// of the same bytes into a buffer.
#include <benchmark/benchmark.h>

#include "ingest/spop/spop_request.h"
#include "tests/ingest/spop_support.h"

namespace {

using namespace wafd::ingest;

std::string message(std::size_t bytes) {
  std::string headers = "host: shop.example\r\n";
  for (int i = 0; i < 12; ++i)
    headers += "x-header-" + std::to_string(i) + ": a value of the usual length for a header\r\n";
  headers += "content-length: " + std::to_string(bytes) + "\r\n\r\n";
  return spop::test::notify(
      5, spop::test::request("page=2&sort=name", headers, std::string(bytes, 'b'), "POST"));
}

void exchange(benchmark::State& state) {
  const auto bytes = message(static_cast<std::size_t>(state.range(0)));
  const auto piece = state.range(1) == 0 ? bytes.size() : static_cast<std::size_t>(state.range(1));
  const IngestLimits limits;
  spop::FrameReader reader;
  for (auto _ : state) {
    std::string_view rest = bytes;
    bool complete = false;
    while (!complete) {
      auto part = rest.substr(0, piece);
      rest.remove_prefix(part.size());
      complete = reader.next(part).value();
    }
    benchmark::DoNotOptimize(spop::read_notify(reader.frame().payload, false, 16380, limits));
    std::string actions;
    spop::append_set_text("action", "allow", actions);
    benchmark::DoNotOptimize(spop::frame(spop::kAck, 5, 1, actions));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
}
BENCHMARK(exchange)
    ->ArgNames({"body", "piece"})
    ->ArgsProduct({{0, 1 << 10, 64 << 10, 1000 << 10}, {0, 1400}});

void peer_copy(benchmark::State& state) {
  const auto bytes = message(static_cast<std::size_t>(state.range(0)));
  std::string into;
  for (auto _ : state) {
    into.assign(bytes);
    benchmark::DoNotOptimize(into.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
}
BENCHMARK(peer_copy)->ArgName("body")->Arg(0)->Arg(1 << 10)->Arg(64 << 10)->Arg(1000 << 10);

}  // namespace

BENCHMARK_MAIN();
