#include "ingest/io/session_connection.h"

namespace wafd::ingest {
namespace {

struct Spop {
  using Session = spop::Session;
  static constexpr std::string_view kName = "spop";
  static Session::Shared shared(Worker& worker) noexcept {
    return {worker.judge(), worker.clock(), worker.queue(), worker.spop_counters(),
            worker.shared().spop_limits};
  }
  static spop::Counters& counters(Worker& worker) noexcept { return worker.spop_counters(); }
  static std::int64_t idle_timeout_ms(const IngestOptions& options) noexcept {
    return options.spop_idle_timeout_ms;
  }
};

}  // namespace

std::unique_ptr<Connection> make_spop_connection(Worker& worker, std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<SessionConnection<Spop>>(worker, IngestListener::kSpop, std::move(stream));
}

}  // namespace wafd::ingest
