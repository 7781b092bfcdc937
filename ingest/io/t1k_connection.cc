#include "ingest/io/session_connection.h"

namespace wafd::ingest {
namespace {

struct T1k {
  using Session = t1k::Session;
  static constexpr std::string_view kName = "t1k";
  static Session::Shared shared(Worker& worker) noexcept {
    return {worker.judge(),          worker.clock(),        worker.queue(),
            worker.shared().reports, worker.t1k_counters(), worker.shared().t1k_limits};
  }
  static t1k::Counters& counters(Worker& worker) noexcept { return worker.t1k_counters(); }
  static std::int64_t idle_timeout_ms(const IngestOptions& options) noexcept {
    return options.t1k_idle_timeout_ms;
  }
};

}  // namespace

std::unique_ptr<Connection> make_t1k_connection(Worker& worker, IngestListener listener,
                                                std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<SessionConnection<T1k>>(worker, listener, std::move(stream));
}

}  // namespace wafd::ingest
