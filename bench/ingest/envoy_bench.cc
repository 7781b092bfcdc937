// A call of ext_authz: HTTP/2, gRPC, CheckRequest, CheckResponse.
#include "bench/ingest/session_bench.h"
#include "ingest/envoy/envoy_session.h"
#include "tests/ingest/envoy_support.h"

namespace {

using namespace wafd::ingest;
namespace test = envoy::test;

class EnvoyExchange {
 public:
  EnvoyExchange(BenchWorker& worker, std::size_t bytes)
      : session({worker.judging.judge, worker.judging.clock, worker.queue, counters_, worker.limits}) {
    std::string http = test::bytes(2, "POST") + test::bytes(4, "/api/v1/orders?page=2&sort=name") +
                       test::bytes(5, "shop.example") + test::bytes(10, "HTTP/1.1");
    for (int i = 0; i < kBenchHeaders; ++i)
      http += test::header("x-header-" + std::to_string(i), std::string(kBenchValue));
    http += test::header("content-length", std::to_string(bytes));
    message_ = test::check(http + test::bytes(12, std::string(bytes, 'b')));
    std::string out;
    (void)session.on_bytes(test::preface() + test::acknowledged(), 0, out);
  }
  // A stream of its own, and room for the answers.
  std::string next() {
    stream_ += 2;
    return test::call(stream_, message_) + test::frame(8, 0, 0, std::string("\0\0\x10\0", 4));
  }

 private:
  envoy::Counters counters_;
  std::string message_;
  std::uint32_t stream_ = 1;

 public:
  envoy::Session session;
};

}  // namespace

WAFD_SESSION_BENCH(EnvoyExchange)
