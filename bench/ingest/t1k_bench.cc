// A T1K request: sections, extra, answer.
#include "bench/ingest/session_bench.h"
#include "ingest/t1k/t1k_session.h"
#include "tests/ingest/t1k_support.h"

namespace {

using namespace wafd::ingest;
using t1k::section;

class T1kExchange {
 public:
  T1kExchange(BenchWorker& worker, std::size_t bytes)
      : session(
            {worker.judging.judge, worker.judging.clock, worker.queue, reports_, counters_, worker.limits}) {
    std::string head = "POST /api/v1/orders?page=2&sort=name HTTP/1.1\r\nHost: shop.example\r\n";
    for (int i = 0; i < kBenchHeaders; ++i)
      head += "X-Header-" + std::to_string(i) + ": " + std::string(kBenchValue) + "\r\n";
    head += "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
    request_ = section(0x41, head);
    if (bytes != 0) request_ += section(0x02, std::string(bytes, 'b'));
    request_ += section(0x03,
                        "\x01\n\x11"
                        "51234\n\x12"
                        "80\n\x13"
                        "203.0.113.7\n\x14"
                        "10.0.0.5\n\x15_\n\x16http\n\x17gw1\n"
                        "\x18"
                        "86c83b5a3fb241a28997d94e4b29cae3\n\x19n\n\x1an\n\x1b"
                        "1766000000000000\n");
    request_ += section(0xa0, "Proto:3\n");
  }
  std::string next() const { return request_; }

 private:
  ReportIndex reports_;
  t1k::Counters counters_;
  std::string request_;

 public:
  t1k::Session session;
};

}  // namespace

WAFD_SESSION_BENCH(T1kExchange)
