#include "daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "detect/core/ip_address.h"
#include "detect/engine.h"
#include "detect/policy.h"
#include "forward/cursor_store.h"
#include "forward/io/delivery_loop.h"
#include "forward/ring.h"
#include "forward/zone_time.h"
#include "ingest/io/geoip.h"
#include "ingest/io/ingest.h"
#include "ingest/io/kit/system.h"

namespace wafd {
namespace {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "wafd";
  return name;
}

// A value that one thread replaces and others copy. (std::atomic<std::shared_ptr> races in g++ 12.)
template <class T>
class Shared {
 public:
  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void set(std::shared_ptr<const T> value) {
    {
      const std::lock_guard lock(mutex_);
      value_.swap(value);
    }
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

Result<void> make_state_dir(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) {
    if (access(path.c_str(), R_OK | W_OK | X_OK) == 0) return {};
  }
  return fail(ErrorCode::kIo, fmt::format("state_dir: {}: {}; expected a folder that wafd may write", path, std::strerror(errno)));
}

Result<std::shared_ptr<const detect::Engine>> build_engine(const Config& config) {
  std::vector<std::string> texts;
  texts.reserve(config.rule_files.size());
  std::vector<detect::Engine::RuleFile> files;
  for (const std::string& path : config.rule_files) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail(ErrorCode::kMissing, fmt::format("rules.files: {}: cannot be opened", path));
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    files.push_back({path, texts.back()});
  }
  auto engine = detect::Engine::build(files);
  if (!engine) return tl::unexpected<Error>(engine.error());
  return std::shared_ptr<const detect::Engine>(std::move(*engine));
}

Result<std::optional<Endpoint>> endpoint_of(const char* key, const std::string& text) {
  if (text.empty()) return std::optional<Endpoint>();
  const auto endpoint = Endpoint::parse(text);
  if (!endpoint) return fail(ErrorCode::kInvalid, fmt::format("{}: expected ADDR:PORT, got \"{}\"", key, text));
  return std::optional<Endpoint>(*endpoint);
}

std::vector<Cidr> cidrs_of(const std::vector<std::string>& texts) {
  std::vector<Cidr> cidrs;
  for (const std::string& text : texts) {
    if (const auto cidr = Cidr::parse(text)) cidrs.push_back(*cidr);  // check_config has refused others
  }
  return cidrs;
}

Result<ingest::IngestOptions> ingest_options(const Config& config) {
  ingest::IngestOptions options;
  const auto t1k = endpoint_of("ingest.t1k.listen", config.t1k.listen);
  if (!t1k) return tl::unexpected<Error>(t1k.error());
  const auto http = endpoint_of("ingest.http.listen", config.http.listen);
  if (!http) return tl::unexpected<Error>(http.error());
  options.workers = static_cast<std::size_t>(config.workers);
  options.t1k_listen = *t1k;
  options.t1k_unix_socket = config.t1k_unix_socket;
  options.t1k_unix_socket_mode = static_cast<unsigned>(std::stoul(config.t1k_unix_socket_mode, nullptr, 8));
  options.t1k_allow = cidrs_of(config.t1k.allow);
  options.t1k_enforcing = config.t1k.enforcing;
  options.http_listen = *http;
  options.http_allow = cidrs_of(config.http.allow);
  options.http_enforcing = config.http.enforcing;
  options.http_trusted_proxies = cidrs_of(config.trusted_proxies);
  options.http_check_dialect = config.check_dialect == "crowdsec"   ? ingest::CheckDialect::kCrowdsec
                               : config.check_dialect == "original" ? ingest::CheckDialect::kOriginal
                                                                    : ingest::CheckDialect::kForwarded;
  options.http_crowdsec_api_keys = config.crowdsec_api_keys;
  options.budget_ms = config.budget_ms;
  options.on_overload = config.on_overload == "block" ? ingest::OnOverload::kBlock : ingest::OnOverload::kPass;
  options.max_head_bytes = static_cast<std::size_t>(config.max_head_bytes);
  options.max_body_bytes = static_cast<std::size_t>(config.max_body_bytes);
  options.max_connections = static_cast<std::size_t>(config.max_connections);
  options.t1k_idle_timeout_ms = config.idle_timeout_s * 1000;
  return options;
}

// "YYYY-MM-DD HH:MM:SS" in the configured zone, for any thread: each keeps its own cache of the last second.
std::function<std::string(std::int64_t)> time_text_of(const forward::ZoneTime& zone) {
  return [zone](std::int64_t unix_s) {
    forward::ZoneTime local = zone;
    std::string text;
    local.append_rfc3339(unix_s * 1'000'000, 3, text);
    text.resize(std::min<std::size_t>(text.size(), 19));
    if (text.size() > 10) text[10] = ' ';
    return text;
  };
}

class Daemon {
 public:
  explicit Daemon(const Config& config) : config_(config), node_(config.node.empty() ? host_name() : config.node) {}

  // In the order of the flow: rules, ring, delivery, settings, workers, console.
  Result<void> open();
  void start();
  void reload();
  void stop();

 private:
  Result<void> open_geoip();

  const Config& config_;
  const std::string node_;
  kit::SystemClock clock_;
  kit::SystemRandom random_;
  Shared<detect::Engine> engine_;
  Shared<detect::Policy> policy_;
  Shared<ingest::GeoIp> geoip_;
  std::atomic<bool> ready_{false};
  std::unique_ptr<forward::CursorStore> cursors_;
  std::unique_ptr<forward::Ring> ring_;
  std::unique_ptr<forward::DeliveryLoop> delivery_;
  std::unique_ptr<ingest::Ingest> ingest_;
};

Result<void> Daemon::open_geoip() {
  if (config_.geoip_database.empty()) return {};
  auto database = ingest::GeoIp::open(config_.geoip_database);
  if (!database) return tl::unexpected<Error>(database.error());
  geoip_.set(std::move(*database));
  return {};
}

