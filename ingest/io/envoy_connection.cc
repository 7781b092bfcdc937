#include "ingest/io/session_connection.h"

namespace wafd::ingest {
namespace {

struct Envoy {
  using Session = envoy::Session;
  static constexpr IngestListener kListener = IngestListener::kEnvoy;
  static envoy::Counters& counters(Worker& worker) noexcept { return worker.envoy_counters(); }
  static const IngestLimits& limits(const WorkerShared& shared) noexcept { return shared.envoy_limits; }
  static std::int64_t idle_timeout_ms(const IngestOptions& options) noexcept {
    return options.envoy_idle_timeout_ms;
  }
};

}  // namespace

std::unique_ptr<Connection> make_envoy_connection(Worker& worker, std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<SessionConnection<Envoy>>(worker, std::move(stream));
}

}  // namespace wafd::ingest
