#include "forward/io/tls_settings.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace wafd::forward {
namespace {

constexpr std::string_view kFile = "file:";
constexpr std::size_t kMaxPemBytes = 1 << 20;  // a system's bundle of authorities has about 220 KiB

}  // namespace

Result<std::string> read_pem(std::string_view member, const std::string& text) {
  if (!text.starts_with(kFile)) return text;
  const std::string path = text.substr(kFile.size());
  // O_NONBLOCK: to open a pipe that nobody writes into would hold up every target.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return fail(ErrorCode::kInvalid, fmt::format("{}: {} cannot be read: {}", member, path,
                                                 std::generic_category().message(errno)));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(descriptor, "rb"), &std::fclose);
  struct stat kind {};
  if (!file || ::fstat(descriptor, &kind) != 0 || !S_ISREG(kind.st_mode))
    return fail(ErrorCode::kInvalid, fmt::format("{}: {} is not a regular file", member, path));
  std::string out(kMaxPemBytes + 1, '\0');
  out.resize(std::fread(out.data(), 1, out.size(), file.get()));
  if (out.empty()) return fail(ErrorCode::kInvalid, fmt::format("{}: {} is empty", member, path));
  if (out.size() > kMaxPemBytes)
    return fail(ErrorCode::kInvalid,
                fmt::format("{}: {} is larger than {} bytes", member, path, kMaxPemBytes));
  return out;
}

Result<std::string> read_password(std::string_view member, const std::string& text) {
  auto password = read_pem(member, text);
  if (password && text.starts_with(kFile))
    while (password->ends_with('\n') || password->ends_with('\r')) password->pop_back();
  return password;
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
  auto context = kit::TlsContext::client(o);
  if (!context) context.error().what = "tls." + context.error().what;
  return context;
}

std::string TlsSource::stamp() const {
  std::string out;
  for (const std::string* member : {&settings_.ca, &settings_.certificate, &settings_.key}) {
    struct stat now {};
    if (!member->starts_with(kFile) || ::stat(member->c_str() + kFile.size(), &now) != 0) {
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
