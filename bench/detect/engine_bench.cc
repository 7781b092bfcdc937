// Cost of judging by shape and size. The peer in the same run is a plain pass over the octets (memchr for an
// octet that is not there): what reading the request once costs at the least.
#include <cstring>
#include <string>

#include <benchmark/benchmark.h>

#include "detect/engine.h"
#include "detect/offline.h"

namespace {

using wafd::detect::Engine;

const Engine& engine() {
  static const auto built = Engine::build({});
  return **built;
}

const char kHead[] =
    "Host: shop.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 "
    "Firefox/115.0\r\n"
    "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br\r\nReferer: https://shop.example/list?page=2&sort=price\r\n"
    "Cookie: session=4f1c2a9be07d; theme=dark; consent=1\r\n";

std::string form(std::size_t size) {
  std::string body;
  for (int i = 0; body.size() < size; ++i)
    body += "field" + std::to_string(i) + "=some+ordinary+words%2C+number+" + std::to_string(i) + "&";
  return "POST /order HTTP/1.1\r\n" + std::string(kHead) +
         "Content-Type: application/x-www-form-urlencoded\r\n\r\n" + body;
}

std::string json(std::size_t size) {
  std::string body = "{\"items\":[";
  for (int i = 0; body.size() < size; ++i) {
    body += "{\"id\":" + std::to_string(i) + ",\"name\":\"a thing of number " + std::to_string(i) +
            "\",\"tags\":[\"new\",\"blue\"]},";
  }
  body += "{}]}";
  return "POST /api HTTP/1.1\r\n" + std::string(kHead) + "Content-Type: application/json\r\n\r\n" + body;
}

std::string plain(std::size_t size) {
  std::string body;
  while (body.size() < size) body += "The quick brown fox jumps over the lazy dog, and then it sleeps. ";
  return "POST /note HTTP/1.1\r\n" + std::string(kHead) + "Content-Type: text/plain\r\n\r\n" + body;
}

// Every decoder applies, again and again.
std::string nested(std::size_t size) {
  std::string value;
  while (value.size() < size) value += "%252527&lt;\\u0027\\x27+ADw-/**/'\"$IFS";
  return "GET /?q=" + value + " HTTP/1.1\r\n" + kHead + "\r\n";
}

std::string get(std::size_t) {
  return "GET /shop/list?page=2&sort=price&q=blue+shoes HTTP/1.1\r\n" + std::string(kHead) + "\r\n";
}

void judge(benchmark::State& state, std::string (*make)(std::size_t)) {
  const std::string octets = make(static_cast<std::size_t>(state.range(0)));
  const auto scratch = engine().make_scratch();
  wafd::Verdict verdict;
  for (auto _ : state) {
    engine().inspect(wafd::detect::split_request(octets), *scratch, verdict);
    benchmark::DoNotOptimize(verdict.findings.size());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * octets.size()));
}

void one_pass(benchmark::State& state) {
  const std::string octets = form(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(std::memchr(octets.data(), 0x01, octets.size()));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * octets.size()));
}

BENCHMARK(one_pass)->RangeMultiplier(8)->Range(1 << 10, 1 << 20);
BENCHMARK_CAPTURE(judge, get, get)->Arg(0);
BENCHMARK_CAPTURE(judge, form, form)->RangeMultiplier(8)->Range(1 << 10, 1 << 20);
BENCHMARK_CAPTURE(judge, json, json)->RangeMultiplier(8)->Range(1 << 10, 1 << 20);
BENCHMARK_CAPTURE(judge, plain, plain)->RangeMultiplier(8)->Range(1 << 10, 1 << 20);
BENCHMARK_CAPTURE(judge, nested, nested)->RangeMultiplier(8)->Range(1 << 10, 1 << 20);

}  // namespace

BENCHMARK_MAIN();
