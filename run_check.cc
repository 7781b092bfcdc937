#include "run_check.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>

#include "console/base/files.h"
#include "console/io/certificate.h"
#include "console/settings/store.h"
#include "detect/signatures/signatures.h"
#include "forward/format/zone_time.h"
#include "ingest/io/geoip.h"

namespace wafd {
namespace {

constexpr std::size_t kMaxSettingsBytes = 64u << 20;
// Files of the state folder, listeners, pipes of compiling rules, connections of delivery, a few of
// everything else.
constexpr std::uint64_t kDescriptors = 64;
constexpr std::uint64_t kDescriptorsOfAWorker = 8;

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

Result<void> check_run(const Config& config) {
  const std::pair<const char*, const std::string*> listeners[] = {
      {"ingest.t1k.listen", &config.t1k.listen},
      {"ingest.http.listen", &config.http.listen},
      {"ingest.spop.listen", &config.spop.listen},
      {"ingest.envoy.listen", &config.envoy.listen},
      {"console.listen", &config.console_listen}};
  for (const auto& [key, text] : listeners)
    if (auto good = endpoint_of(key, *text); !good) return tl::unexpected<Error>(good.error());
  if (config.console_listen.empty())
    return fail(ErrorCode::kInvalid, "console.listen: expected ADDR:PORT, got \"\"");
  if (!forward::ZoneTime::of(config.time_zone))
    return fail(
        ErrorCode::kInvalid,
        fmt::format("time_zone: {}: expected an IANA name such as Europe/Lisbon, or UTC", config.time_zone));
  if (auto files = read_rule_files(config); !files) return tl::unexpected<Error>(files.error());
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
  if (config.settings_source == "file") {
    const auto text = console::read_file(config.settings_file, kMaxSettingsBytes);
    if (!text) return fail(ErrorCode::kInvalid, "settings.file: " + text.error().what);
    std::vector<std::string> notes;
    if (auto good = console::parse_stored_settings(*text, notes); !good)
      return fail(ErrorCode::kInvalid,
                  fmt::format("settings.file: {}: {}", config.settings_file, good.error().what));
  }
  if (!config.console_certificate.empty()) {
    const console::CertificatePlace place{
        config.console_certificate, config.console_key, config.state_dir, {}};
    if (auto good = console::load_certificate(place, std::time(nullptr), false); !good)
      return fail(ErrorCode::kInvalid, "console.certificate and console.key: " + good.error().what);
  }
  return {};
}

Result<std::uint64_t> raise_descriptors(const Config& config) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::uint64_t{0};
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const std::uint64_t workers = config.workers > 0 ? static_cast<std::uint64_t>(config.workers)
                                                   : std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t least = kDescriptors + workers * kDescriptorsOfAWorker;
  if (limit.rlim_cur < least)
    return fail(
        ErrorCode::kResource,
        fmt::format("this process may open {} files, expected at least {}: raise the limit (ulimit -n, "
                    "LimitNOFILE)",
                    limit.rlim_cur, least));
  return static_cast<std::uint64_t>(limit.rlim_cur);
}

}  // namespace wafd
