#include "daemon.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>

#include "daemon_parts.h"
#include "log.h"
#include "run_check.h"

namespace wafd {
namespace {

class Daemon {
 public:
  Daemon(const Config& config, std::shared_ptr<telemetry::LogQueue> logs, const LogTap& tap)
      : parts_(config, std::move(logs), tap) {}

  Result<void> open() { return parts_.open(); }
  void start();
  // Rule files, source locations, certificates; what is wrong leaves the old one in force. Rules take seconds
  // to compile, so a thread of its own does it; one at a time.
  void reload();
  // Looks for a changed database of source locations, and for changed certificates of listeners.
  void watch();
  // False: threads of a library are still going on, and the program must end without exit handlers.
  bool stop();

 private:
  void say_where() const;

  DaemonParts parts_;
};

void Daemon::start() {
  parts_.delivery_->start();
  parts_.delivery_->apply(parts_.console_->settings().targets);
  parts_.notifier_->start();
  parts_.notifier_->apply(parts_.console_->settings().channels, parts_.console_->settings().alerts);
  parts_.console_->start();
  parts_.ingest_->start();
  if (parts_.exporter_) parts_.exporter_->start();
  parts_.ready_ = true;
  say_where();
}

void Daemon::say_where() const {
  spdlog::info("wafd {} is ready as node {}, {} rules", WAFD_VERSION, parts_.node_,
               parts_.rules_.engine()->rules().size());
  for (const auto which :
       {ingest::IngestListener::kT1k, ingest::IngestListener::kT1kUnix, ingest::IngestListener::kHttp,
        ingest::IngestListener::kSpop, ingest::IngestListener::kEnvoy}) {
    if (const std::string address = parts_.ingest_->address(which); !address.empty())
      spdlog::info("{}: {}", to_string(which), address);
  }
  spdlog::info("console: https://{}/, certificate SHA-256 {}", parts_.console_->local().text(),
               parts_.console_->fingerprint());
  if (const std::uint64_t kept = parts_.ring_->end() - parts_.ring_->oldest(); kept > 0) {
    spdlog::info("ring: {} events, back to {}", kept,
                 time_text(*parts_.zone_.get(), parts_.ring_->oldest_time_ms() / 1000));
  } else {
    spdlog::info("ring: empty, {} MiB", parts_.ring_->size_bytes() >> 20);
  }
  if (const std::string token = parts_.console_->setup_token(); !token.empty()) {
    warn_on_stderr(fmt::format(
        "first start: make the first account within 30 minutes on the console with the token {} ({})", token,
        parts_.console_->setup_token_filed() ? fmt::format("also in {}/setup-token", parts_.config_.state_dir)
                                             : "in no file: it could not be written"));
  }
}

void Daemon::reload() {
  spdlog::info("reloading rule files, source locations and certificates");
  parts_.console_->reload_certificate();
  parts_.certificates_.reopen(*parts_.ingest_);
  parts_.places_.reopen();
  parts_.networks_.reopen();
  parts_.rules_.rebuild();
}

void Daemon::watch() {
  parts_.certificates_.reopen_changed(*parts_.ingest_);
  parts_.places_.watch();
  parts_.networks_.watch();
}

bool Daemon::stop() {
  parts_.ready_ = false;
  spdlog::info("stopping");
  parts_.rules_.interrupt();
  parts_.ingest_->stop(parts_.config_.stop_timeout_s * 1000);
  if (parts_.exporter_) parts_.exporter_->collect_last();
  parts_.delivery_->stop();
  parts_.console_->stop();
  parts_.notifier_->stop();
  parts_.rules_.stop();
  parts_.event_log_.end();  // what it holds is sent, too
  spdlog::info("stopped");
  if (parts_.exporter_) parts_.exporter_->stop();
  return parts_.delivery_->ended();
}

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

int run_daemon(const Config& config) {
  std::shared_ptr<telemetry::LogQueue> logs;
  LogTap tap;
  if (const auto otlp = otlp_settings(config); otlp.on() && otlp.logs) {
    logs = std::make_shared<telemetry::LogQueue>();
    tap = [logs](std::int64_t unix_us, std::string_view level, const LogLine& line) {
      logs->push({unix_us, std::string(level), line.message, line.members});
    };
  }
  open_log(config, tap);

  // Blocked before any thread is made, so that this thread alone takes them.
  signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = handled_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const auto descriptors = raise_descriptors(config);
  if (!descriptors) {
    fmt::print(stderr, "wafd: {}\n", descriptors.error().what);
    return 1;
  }
  if (*descriptors < static_cast<std::uint64_t>(config.max_connections))
    spdlog::warn("this process may open {} files: fewer connections than ingest.max_connections {}",
                 *descriptors, config.max_connections);

  auto daemon = std::make_unique<Daemon>(config, logs, tap);
  if (auto opened = daemon->open(); !opened) {
    fmt::print(stderr, "wafd: {}\n", opened.error().what);
    return opened.error().code == ErrorCode::kInvalid ? 2 : 1;
  }
  daemon->start();
  for (;;) {
    const timespec look_every{.tv_sec = 2, .tv_nsec = 0};
    const int received = sigtimedwait(&signals, nullptr, &look_every);
    if (received == SIGHUP) daemon->reload();
    if (received == SIGTERM || received == SIGINT) break;
    if (received < 0) daemon->watch();
  }
  const bool ended = daemon->stop();
  daemon.reset();
  if (!ended) std::_Exit(0);
  return 0;
}

}  // namespace wafd
