#include "forward/io/tls_settings.h"

#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

constexpr std::string_view kFile = "file:";
constexpr std::size_t kMaxPemBytes = 64 * 1024;

}  // namespace

Result<std::string> read_pem(std::string_view member, const std::string& text) {
  if (!text.starts_with(kFile)) return text;
  const std::string path = text.substr(kFile.size());
  std::ifstream file(path, std::ios::binary);
  std::string out(kMaxPemBytes + 1, '\0');
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(file.gcount()));
  if (out.empty()) return fail(ErrorCode::kIo, fmt::format("{}: {} cannot be read", member, path));
  if (out.size() > kMaxPemBytes)
    return fail(ErrorCode::kTooLarge,
                fmt::format("{}: {} is larger than {} octets", member, path, kMaxPemBytes));
  return out;
}

Result<std::shared_ptr<const kit::TlsContext>> tls_context(const TlsSettings& settings) {
  auto ca = read_pem("tls.ca", settings.ca);
  if (!ca) return tl::unexpected(ca.error());
  auto certificate = read_pem("tls.certificate", settings.certificate);
  if (!certificate) return tl::unexpected(certificate.error());
  auto key = read_pem("tls.key", settings.key);
  if (!key) return tl::unexpected(key.error());
  kit::TlsClientOptions o;
  o.verify = settings.verify;
  o.ca_pem = std::move(*ca);
  o.fingerprint_sha256 = settings.fingerprint_sha256;
  o.min_version = settings.min_version;
  o.certificate_pem = std::move(*certificate);
  o.key_pem = std::move(*key);
  return kit::TlsContext::client(o);
}

std::string tls_name(const TlsSettings& settings, const HostPort& to) {
  return settings.server_name.empty() ? to.host : settings.server_name;
}

}  // namespace wafd::forward
