#include "forward/io/tls_settings.h"

#include <memory>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>

#include "files/given_text.h"

namespace wafd::forward {
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
  auto context = kit::TlsContext::client(o);
  if (!context) context.error().what = "tls." + context.error().what;
  return context;
}

std::string TlsSource::stamp() const {
  std::string out;
  for (const std::string* member : {&settings_.ca, &settings_.certificate, &settings_.key}) {
    struct stat now {};
    if (!names_file(*member) || ::stat(file_named_by(*member).c_str(), &now) != 0) {
      out += "-;";
      continue;
    }
    out += fmt::format("{}:{}:{}:{}.{:09};", now.st_dev, now.st_ino, now.st_size, now.st_mtim.tv_sec,
                       now.st_mtim.tv_nsec);
  }
  return out;
}

bool TlsSource::refresh() {
  std::string now = stamp();
  if (now == stamp_) return false;
  stamp_ = std::move(now);
  auto made = tls_context(settings_);
  if (!made) {
    error_ = made.error().what;
    return false;
  }
  error_.clear();
  context_ = std::move(*made);
  return true;
}

Result<std::shared_ptr<const kit::TlsContext>> TlsSource::current() {
  refresh();
  if (!context_) return fail(ErrorCode::kInvalid, error_);
  return context_;
}

std::string tls_name(const TlsSettings& settings, const HostPort& to) {
  std::string name = settings.server_name.empty() ? to.host : settings.server_name;
  // The dot of a name that is whole is for resolvers alone: no certificate has it, nor may SNI (RFC 6066
  // section 3).
  if (name.ends_with('.')) name.pop_back();
  return name;
}

}  // namespace wafd::forward
