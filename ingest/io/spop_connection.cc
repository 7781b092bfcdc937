#include "ingest/io/session_connection.h"

namespace wafd::ingest {
namespace {

struct Spop {
  using Session = spop::Session;
  static constexpr IngestListener kListener = IngestListener::kSpop;
  static spop::Counters& counters(Worker& worker) noexcept { return worker.spop_counters(); }
  static const IngestLimits& limits(const WorkerShared& shared) noexcept { return shared.spop_limits; }
  static std::int64_t idle_timeout_ms(const IngestOptions& options) noexcept {
    return options.spop_idle_timeout_ms;
  }
};

}  // namespace

std::unique_ptr<Connection> make_spop_connection(Worker& worker, std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<SessionConnection<Spop>>(worker, std::move(stream));
}

}  // namespace wafd::ingest
