#include "ingest/io/session_connection.h"

namespace wafd::ingest {
namespace {

struct Envoy {
  using Session = envoy::Session;
  static constexpr std::string_view kName = "envoy";
  static Session::Shared shared(Worker& worker) noexcept {
    return {worker.judge(), worker.clock(), worker.queue(), worker.envoy_counters(),
            worker.shared().envoy_limits};
  }
  static envoy::Counters& counters(Worker& worker) noexcept { return worker.envoy_counters(); }
  static std::int64_t idle_timeout_ms(const IngestOptions& options) noexcept {
    return options.envoy_idle_timeout_ms;
  }
};

}  // namespace

std::unique_ptr<Connection> make_envoy_connection(Worker& worker, std::unique_ptr<kit::Stream> stream) {
  return std::make_unique<SessionConnection<Envoy>>(worker, IngestListener::kEnvoy, std::move(stream));
}

}  // namespace wafd::ingest
