#include "run_check.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "console/base/sealing.h"
#include "console/io/admin_client.h"
#include "console/io/certificate.h"
#include "console/settings/store.h"
#include "detect/signatures/signatures.h"
#include "files/given_text.h"
#include "files/small_file.h"
#include "forward/format/zone_time.h"
#include "forward/io/fleet_address.h"
#include "forward/io/postgres_login.h"
#include "ingest/io/geoip.h"
#include "ingest/io/ingest.h"
#include "ingest/io/kit/listen.h"
#include "ingest_options.h"

namespace wafd {
namespace {

// Files of the state folder, listeners, pipes of compiling rules, connections of delivery, a few of
// everything else.
constexpr std::uint64_t kDescriptors = 64;
constexpr std::uint64_t kDescriptorsOfAWorker = 8;

// A listener of TCP.
struct Place {
  const char* key;
  Endpoint at;
};

Result<std::vector<Place>> listening_places(const Config& config) {
  const std::pair<const char*, const std::string*> listeners[] = {
      {"ingest.t1k.listen", &config.t1k.listen},
      {"ingest.http.listen", &config.http.listen},
      {"ingest.spop.listen", &config.spop.listen},
      {"ingest.envoy.listen", &config.envoy.listen},
      {"console.listen", &config.console_listen}};
  std::vector<Place> places;
  for (const auto& [key, text] : listeners) {
    const auto endpoint = endpoint_of(key, *text);
    if (!endpoint) return tl::unexpected<Error>(endpoint.error());
    if (*endpoint) places.push_back({key, **endpoint});
  }
  if (config.console_listen.empty())
    return fail(ErrorCode::kInvalid, "console.listen: expected ADDR:PORT, got \"\"");
  return places;
}

// Whether a socket at one keeps another from the other.
bool same_place(const Endpoint& a, const Endpoint& b) noexcept {
  if (a.port != b.port || a.port == 0) return false;
  if (a.address == b.address) return true;
  return a.address.is_v4() == b.address.is_v4() && (a.address.is_unspecified() || b.address.is_unspecified());
}

// The folder of the T1K socket, and the length of its path.
Result<void> check_unix_socket(const std::string& path) {
  constexpr std::size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;
  if (path.empty()) return {};
  if (path.size() > kMaxPathBytes)
    return fail(ErrorCode::kInvalid,
                fmt::format("ingest.t1k.unix_socket: expected a path of at most {} bytes, "
                            "got {}",
                            kMaxPathBytes, path.size()));
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(path, error).parent_path();
  if (!std::filesystem::is_directory(folder, error))
    return fail(ErrorCode::kInvalid, fmt::format("ingest.t1k.unix_socket: {} is no folder", folder.string()));
  return {};
}

// Places, no two of them the same, and what the listeners of TLS show.
Result<void> check_listeners(const Config& config) {
  const auto places = listening_places(config);
  if (!places) return tl::unexpected<Error>(places.error());
  for (auto one = places->begin(); one != places->end(); ++one)
    for (auto other = places->begin(); other != one; ++other)
      if (same_place(one->at, other->at))
        return fail(ErrorCode::kInvalid, fmt::format("{}: {} is taken by {}, {}", one->key, one->at.text(),
                                                     other->key, other->at.text()));
  if (auto good = check_unix_socket(config.t1k_unix_socket); !good) return good;
  for (const auto listener : {ingest::IngestListener::kT1k, ingest::IngestListener::kEnvoy}) {
    const auto files = listener_tls(config, listener);
    if (!files) return tl::unexpected<Error>(files.error());
    if (auto good = ingest::check_tls(listener, *files); !good) return good;
  }
  return {};
}

// Whether each place can be had, by having it for a moment. A daemon that runs has them itself.
Result<void> check_free(const Config& config) {
  const auto places = listening_places(config);
  if (!places) return tl::unexpected<Error>(places.error());
  std::optional<bool> running;
  for (const Place& place : *places) {
    const auto probe = kit::ListenSockets::tcp(place.at, 0);
    if (probe) continue;
    if (probe.error().code == ErrorCode::kConflict) {
      if (!running) {
        const auto asked = console::ask_daemon(config.state_dir, "{}");
        running = asked || asked.error().code != ErrorCode::kMissing;
      }
      if (*running) continue;
    }
    return fail(probe.error().code, fmt::format("{}: {}", place.key, probe.error().what));
  }
  return {};
}

// Nothing is made: what is nearest to it is a folder, or it is one.
Result<void> check_state_dir(const std::string& path) {
  std::error_code error;
  for (auto at = std::filesystem::absolute(path, error); !at.empty(); at = at.parent_path()) {
    if (!std::filesystem::exists(std::filesystem::symlink_status(at, error)) && at.has_relative_path())
      continue;
    if (std::filesystem::is_directory(at, error)) break;
    return fail(ErrorCode::kInvalid, fmt::format("state_dir: {} is no folder", at.string()));
  }
  return {};
}

// Where OTLP goes, and the files that it needs.
Result<void> check_otlp_files(const Config& config) {
  const telemetry::OtlpSettings settings = otlp_settings(config);
  if (!settings.on()) return {};
  if (auto good = telemetry::check_otlp(settings); !good) return good;
  if (auto headers = telemetry::read_otlp_headers(settings); !headers)
    return fail(ErrorCode::kInvalid, headers.error().what);
  if (settings.ca.empty()) return {};
  if (auto pem = read_pem_file("otlp.ca", settings.ca); !pem)
    return fail(ErrorCode::kInvalid, pem.error().what);
  return {};
}

}  // namespace

Result<std::optional<Endpoint>> endpoint_of(const char* key, const std::string& text) {
  if (text.empty()) return std::optional<Endpoint>();
  const auto endpoint = Endpoint::parse(text);
  if (!endpoint)
    return fail(ErrorCode::kInvalid, fmt::format("{}: expected ADDR:PORT, got \"{}\"", key, text));
  return std::optional<Endpoint>(*endpoint);
}

Result<std::vector<RuleText>> read_rule_files(const Config& config) {
  std::vector<RuleText> files;
  std::vector<detect::Signature> read;
  for (const std::string& path : config.rule_files) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail(ErrorCode::kMissing, fmt::format("rules.files: {}: cannot be opened", path));
    files.push_back(
        {path, std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())});
    if (auto good = detect::look_at_signatures(path, files.back().text, read); !good)
      return fail(ErrorCode::kInvalid, good.error().what);
  }
  return files;
}

Result<forward::TargetSettings> fleet_target(const Config& config) {
  const std::string password =
      config.fleet_password_file.empty() ? "" : std::string(kFilePrefix) + config.fleet_password_file;
  auto target =
      forward::read_fleet_address({config.fleet_database, password, config.fleet_ca}, "fleet.database");
  if (!target) return target;
  if (!target->postgresql.password.empty() && password.empty())
    return fail(ErrorCode::kInvalid, "fleet.database: the password belongs into a file, fleet.password_file");
  if (auto login = forward::postgres_login(*target); !login)
    return fail(ErrorCode::kInvalid, "fleet.database: " + login.error().what);
  return target;
}

Result<void> check_accounts(const Config& config) {
  if (config.fleet_accounts != "database") return {};
  if (config.fleet_database.empty())
    return fail(ErrorCode::kInvalid, "fleet.accounts: database needs fleet.database");
  if (config.fleet_key_file.empty())
    return fail(ErrorCode::kInvalid, "fleet.accounts: database needs fleet.key_file");
  return {};
}

telemetry::OtlpSettings otlp_settings(const Config& config) {
  telemetry::OtlpSettings out;
  out.endpoint = config.otlp_endpoint;
  out.headers_file = config.otlp_headers_file;
  out.ca = config.otlp_ca;
  out.interval_s = config.otlp_interval_s;
  out.metrics = config.otlp_metrics;
  out.logs = config.otlp_logs;
  out.gzip = config.otlp_compression == "gzip";
  return out;
}

Result<void> check_run(const Config& config) {
  if (auto good = check_listeners(config); !good) return good;
  if (!forward::ZoneTime::of(config.time_zone))
    return fail(
        ErrorCode::kInvalid,
        fmt::format("time_zone: {}: expected an IANA name such as Europe/Lisbon, or UTC", config.time_zone));
  if (auto files = read_rule_files(config); !files) return tl::unexpected<Error>(files.error());
  if (!config.fleet_database.empty())
    if (auto target = fleet_target(config); !target) return tl::unexpected<Error>(target.error());
  if (auto good = check_accounts(config); !good) return good;
  if (auto good = check_otlp_files(config); !good) return good;
  for (const auto& [key, path] : {std::pair{"geoip.database", config.geoip_database},
                                  std::pair{"geoip.asn_database", config.asn_database}}) {
    if (path.empty()) continue;
    if (auto database = ingest::GeoIp::open(path); !database)
      return fail(ErrorCode::kInvalid, fmt::format("{}: {}", key, database.error().what));
  }
  return {};
}

Result<void> check_all(const Config& config) {
  if (auto good = check_run(config); !good) return good;
  if (auto good = check_state_dir(config.state_dir); !good) return good;
  if (auto good = check_free(config); !good) return good;
  if (config.settings_source == "file") {
    const auto text = read_file(config.settings_file, console::kMaxSettingsBytes);
    if (!text) return fail(ErrorCode::kInvalid, "settings.file: " + text.error().what);
    std::vector<std::string> notes;
    if (auto good = console::parse_stored_settings(*text, notes); !good)
      return fail(ErrorCode::kInvalid,
                  fmt::format("settings.file: {}: {}", config.settings_file, good.error().what));
  }
  if (!config.fleet_key_file.empty()) {
    if (const auto keys = console::SealingKeys::read(config.fleet_key_file); !keys)
      return fail(ErrorCode::kInvalid, "fleet.key_file: " + keys.error().what);
  }
  if (!config.console_certificate.empty()) {
    const console::CertificatePlace place{
        config.console_certificate, config.console_key, config.state_dir, {}};
    if (auto good = console::load_certificate(place, std::time(nullptr), false); !good)
      return fail(ErrorCode::kInvalid, "console.certificate and console.key: " + good.error().what);
  }
  return {};
}

std::uint64_t descriptors_needed(const Config& config) {
  const std::uint64_t workers = config.workers > 0 ? static_cast<std::uint64_t>(config.workers)
                                                   : std::max(1u, std::thread::hardware_concurrency());
  return kDescriptors + workers * kDescriptorsOfAWorker;
}

Result<std::uint64_t> raise_descriptors(const Config& config) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::uint64_t{0};
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const std::uint64_t least = descriptors_needed(config);
  if (limit.rlim_cur < least)
    return fail(
        ErrorCode::kResource,
        fmt::format("this process may open {} files, expected at least {}: raise the limit (ulimit -n, "
                    "LimitNOFILE)",
                    limit.rlim_cur, least));
  return static_cast<std::uint64_t>(limit.rlim_cur);
}

}  // namespace wafd
