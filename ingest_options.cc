#include "ingest_options.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

#include "run_check.h"

namespace wafd {
namespace {

// The whole of a small file; empty for an empty path. An error names the key.
Result<std::string> pem_of(std::string_view key, const std::string& path) {
  if (path.empty()) return std::string();
  constexpr std::size_t kMaxPemBytes = 1 << 20;
  struct stat info {};
  std::ifstream file;
  if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) file.open(path, std::ios::binary);
  std::string pem(kMaxPemBytes + 1, '\0');
  if (file.is_open()) file.read(pem.data(), static_cast<std::streamsize>(pem.size()));
  pem.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (pem.empty() || pem.size() > kMaxPemBytes)
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: expected a PEM file of 1 to {} bytes that can be read, got \"{}\"", key,
                            kMaxPemBytes, path));
  return pem;
}

}  // namespace

std::vector<Cidr> cidrs_of(const std::vector<std::string>& texts) {
  std::vector<Cidr> cidrs;
  for (const std::string& text : texts) {
    if (const auto cidr = Cidr::parse(text)) cidrs.push_back(*cidr);  // check_config has refused others
  }
  return cidrs;
}

Result<ingest::ListenerTls> listener_tls(const Config& config, ingest::IngestListener listener) {
  const bool envoy = listener == ingest::IngestListener::kEnvoy;
  ingest::ListenerTls tls;
  for (const auto& [name, path, pem] :
       {std::tuple("certificate", envoy ? &config.envoy_certificate : &config.t1k_certificate,
                   &tls.certificate_pem),
        std::tuple("key", envoy ? &config.envoy_key : &config.t1k_key, &tls.key_pem),
        std::tuple("client_ca", envoy ? &config.envoy_client_ca : &config.t1k_client_ca,
                   &tls.client_ca_pem)}) {
    auto content = pem_of(fmt::format("ingest.{}.{}", to_string(listener), name), *path);
    if (!content) return tl::unexpected<Error>(content.error());
    *pem = std::move(*content);
  }
  return tls;
}

Result<ingest::IngestOptions> ingest_options(const Config& config) {
  ingest::IngestOptions options;
  for (const auto& [listener, tls] : {std::pair(ingest::IngestListener::kT1k, &options.t1k_tls),
                                      std::pair(ingest::IngestListener::kEnvoy, &options.envoy_tls)}) {
    auto files = listener_tls(config, listener);
    if (!files) return tl::unexpected<Error>(files.error());
    *tls = std::move(*files);
  }
  const auto t1k = endpoint_of("ingest.t1k.listen", config.t1k.listen);
  if (!t1k) return tl::unexpected<Error>(t1k.error());
  const auto http = endpoint_of("ingest.http.listen", config.http.listen);
  if (!http) return tl::unexpected<Error>(http.error());
  const auto spop = endpoint_of("ingest.spop.listen", config.spop.listen);
  if (!spop) return tl::unexpected<Error>(spop.error());
  const auto envoy = endpoint_of("ingest.envoy.listen", config.envoy.listen);
  if (!envoy) return tl::unexpected<Error>(envoy.error());
  options.workers = static_cast<std::size_t>(config.workers);
  options.t1k_listen = *t1k;
  options.t1k_unix_socket = config.t1k_unix_socket;
  options.t1k_unix_socket_mode = static_cast<unsigned>(std::stoul(config.t1k_unix_socket_mode, nullptr, 8));
  options.t1k_allow = cidrs_of(config.t1k.allow);
  options.t1k_enforcing = config.t1k.enforcing;
  options.http_listen = *http;
  options.http_allow = cidrs_of(config.http.allow);
  options.http_enforcing = config.http.enforcing;
  options.spop_listen = *spop;
  options.spop_allow = cidrs_of(config.spop.allow);
  options.spop_enforcing = config.spop.enforcing;
  options.envoy_listen = *envoy;
  options.envoy_allow = cidrs_of(config.envoy.allow);
  options.envoy_enforcing = config.envoy.enforcing;
  options.http_trusted_proxies = cidrs_of(config.trusted_proxies);
  options.http_check_dialect = config.check_dialect == "crowdsec"   ? ingest::CheckDialect::kCrowdsec
                               : config.check_dialect == "original" ? ingest::CheckDialect::kOriginal
                                                                    : ingest::CheckDialect::kForwarded;
  options.http_crowdsec_api_keys = config.crowdsec_api_keys;
  options.http_mirror_scheme = config.mirror_scheme;
  options.budget_ms = config.budget_ms;
  options.on_overload =
      config.on_overload == "block" ? ingest::OnOverload::kBlock : ingest::OnOverload::kPass;
  options.max_head_bytes = static_cast<std::size_t>(config.max_head_bytes);
  options.max_body_bytes = static_cast<std::size_t>(config.max_body_bytes);
  options.max_connections = static_cast<std::size_t>(config.max_connections);
  options.head_timeout_ms = config.head_timeout_s * 1000;
  options.body_timeout_ms = config.body_timeout_s * 1000;
  options.t1k_idle_timeout_ms = config.idle_timeout_s * 1000;
  options.http_idle_timeout_ms = config.idle_timeout_s * 1000;
  options.spop_idle_timeout_ms = config.idle_timeout_s * 1000;
  options.envoy_idle_timeout_ms = config.idle_timeout_s * 1000;
  return options;
}

}  // namespace wafd
