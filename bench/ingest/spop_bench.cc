// A NOTIFY of SPOP: frames, arguments, ACK. A body beyond a frame comes in fragments, as HAProxy sends it.
#include "bench/ingest/session_bench.h"
#include "ingest/spop/spop_session.h"
#include "tests/ingest/spop_support.h"

namespace {

using namespace wafd::ingest;

class SpopExchange {
 public:
  SpopExchange(BenchWorker& worker, std::size_t bytes)
      : session({worker.judging.judge, worker.judging.clock, worker.queue, counters_, worker.limits}) {
    std::string headers = "host: shop.example\r\n";
    for (int i = 0; i < kBenchHeaders; ++i)
      headers += "x-header-" + std::to_string(i) + ": " + std::string(kBenchValue) + "\r\n";
    headers += "content-length: " + std::to_string(bytes) + "\r\n\r\n";
    const std::string payload =
        spop::test::request("page=2&sort=name", headers, std::string(bytes, 'b'), "POST");
    constexpr std::size_t kPayloadBytes = 16000;
    constexpr unsigned kNotify = 3, kMore = 0, kFin = 1;
    for (std::size_t at = 0; at < payload.size(); at += kPayloadBytes)
      request_ += spop::test::frame(at == 0 ? kNotify : 0, at + kPayloadBytes < payload.size() ? kMore : kFin,
                                    5, 1, std::string_view(payload).substr(at, kPayloadBytes));
    std::string out;
    (void)session.on_bytes(spop::test::hello(), 0, out);
  }
  std::string next() const { return request_; }

 private:
  spop::Counters counters_;
  std::string request_;

 public:
  spop::Session session;
};

}  // namespace

WAFD_SESSION_BENCH(SpopExchange)
