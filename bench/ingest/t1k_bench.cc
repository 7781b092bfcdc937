// A T1K exchange through the pure code, by shape and size; the peer is a plain copy of the same bytes into a
// buffer.
#include <cstring>

#include <benchmark/benchmark.h>

#include "ingest/t1k/t1k.h"
#include "ingest/t1k/t1k_extra.h"

namespace {

using namespace wafd::ingest::t1k;

std::string section(unsigned first_byte, std::string_view data) {
  std::string out(1, static_cast<char>(first_byte));
  for (unsigned shift = 0; shift < 32; shift += 8) out += static_cast<char>(data.size() >> shift & 0xff);
  return out.append(data);
}

// A request as a gateway sends it, with a body of `bytes`.
std::string message(std::size_t bytes) {
  std::string head = "POST /api/v1/orders?page=2&sort=name HTTP/1.1\r\nHost: shop.example\r\n";
  for (int i = 0; i < 12; ++i)
    head += "X-Header-" + std::to_string(i) + ": a value of the usual length for a header\r\n";
  head += "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
  std::string out = section(0x41, head);
  if (bytes != 0) out += section(0x02, std::string(bytes, 'b'));
  return out +
         section(0x03,
                 "\x01\n\x11"
                 "51234\n\x12"
                 "80\n\x13"
                 "203.0.113.7\n\x14"
                 "10.0.0.5\n\x15_\n\x16http\n\x17gw1\n"
                 "\x18"
                 "86c83b5a3fb241a28997d94e4b29cae3\n\x19n\n\x1an\n\x1b"
                 "1766000000000000\n") +
         section(0xa0, "Proto:3\n");
}

void exchange(benchmark::State& state) {
  const auto bytes = message(static_cast<std::size_t>(state.range(0)));
  const auto piece = state.range(1) == 0 ? bytes.size() : static_cast<std::size_t>(state.range(1));
  MessageReader reader(Limits{});
  for (auto _ : state) {
    std::string_view rest = bytes;
    bool complete = false;
    while (!complete) {
      auto part = rest.substr(0, piece);
      rest.remove_prefix(part.size());
      complete = reader.next(part).value();
    }
    benchmark::DoNotOptimize(parse_extra(reader.message().extra.data));
    benchmark::DoNotOptimize(pass_answer());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
}
BENCHMARK(exchange)->ArgNames({"body", "piece"})->ArgsProduct({{0, 1 << 10, 64 << 10, 1 << 20}, {0, 1400}});

void peer_copy(benchmark::State& state) {
  const auto bytes = message(static_cast<std::size_t>(state.range(0)));
  std::string into;
  for (auto _ : state) {
    into.assign(bytes);
    benchmark::DoNotOptimize(into.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) * state.iterations());
}
BENCHMARK(peer_copy)->ArgName("body")->Arg(0)->Arg(1 << 10)->Arg(64 << 10)->Arg(1 << 20);

}  // namespace

BENCHMARK_MAIN();
