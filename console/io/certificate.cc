#include "console/io/certificate.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include <arpa/inet.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console/base/files.h"

namespace wafd::console {
namespace {

constexpr int kSelfSignedDays = 3650;
constexpr std::size_t kMaxNames = 64;

std::string uploaded_file(const CertificatePlace& place) { return place.state_dir + "/console-uploaded.pem"; }

// "AB:CD:…", as browsers show it.
std::string in_pairs(std::string_view hex) {
  std::string text;
  for (std::size_t i = 0; i < hex.size(); ++i) {
    if (i > 0 && i % 2 == 0) text += ':';
    text += static_cast<char>(hex[i] >= 'a' ? hex[i] - 'a' + 'A' : hex[i]);
  }
  return text;
}

bool ends_soon(const std::string& pem, std::int64_t now_s) {
  const auto info = kit::describe_certificate(pem);
  return info && info->not_after_s < now_s + kRenewBeforeS;
}

// Errors begin with the member that is wrong.
Result<Certificate> judge(const std::string& certificate_pem, const std::string& key_pem) {
  kit::TlsServerOptions options;
  options.certificate_pem = certificate_pem;
  options.key_pem = key_pem;
  options.alpn = {"http/1.1"};
  auto context = kit::TlsContext::server(options);
  if (!context) return tl::unexpected(context.error());
  auto info = kit::describe_certificate(certificate_pem);
  if (!info) return tl::unexpected(info.error());
  Certificate out;
  out.context = std::move(*context);
  out.facts = {"",
               "",
               std::move(info->subject),
               std::move(info->issuer),
               std::move(info->names),
               info->not_before_s,
               info->not_after_s,
               in_pairs(info->fingerprint_sha256)};
  return out;
}

std::string day_text(std::int64_t time_s) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(time_s)));
}

Result<Certificate> load_files(const std::string& certificate_file, const std::string& key_file) {
  auto pem = read_file(certificate_file, kMaxPemBytes);
  if (!pem) return tl::unexpected(pem.error());
  auto key = read_file(key_file, kMaxPemBytes);
  if (!key) return tl::unexpected(key.error());
  auto loaded = judge(*pem, *key);
  if (!loaded)
    return fail(loaded.error().code,
                fmt::format("{} and {}: {}", certificate_file, key_file, loaded.error().what));
  loaded->facts.file = certificate_file;
  return loaded;
}

// What of the self-signed pair is there is put aside if the other half is missing, and a new one is made
// where it must be.
Result<Certificate> load_self_signed(const CertificatePlace& place, std::int64_t now_s) {
  const std::string certificate_file = place.state_dir + "/console.crt";
  const std::string key_file = place.state_dir + "/console.key";
  const auto pem = read_file(certificate_file, kMaxPemBytes);
  const auto key = read_file(key_file, kMaxPemBytes);
  const bool missing =
      (!pem && pem.error().code == ErrorCode::kMissing) || (!key && key.error().code == ErrorCode::kMissing);
  std::string notice;
  if (missing && pem.has_value() != key.has_value()) {
    const std::string& there = pem ? certificate_file : key_file;
    const std::string aside = there + ".unpaired";
    if (std::rename(there.c_str(), aside.c_str()) != 0)
      return fail(ErrorCode::kIo, fmt::format("{}: cannot be put aside as {}", there, aside));
    notice = fmt::format(
        "{} is missing: a new self-signed certificate was made, so its fingerprint is another one; {} was "
        "put "
        "aside as {}",
        pem ? key_file : certificate_file, there, aside);
  }
  const bool renew = pem && key && ends_soon(*pem, now_s);
  if (missing || renew) {
    auto fresh = kit::make_self_signed(place.names, now_s, kSelfSignedDays);
    if (!fresh) return tl::unexpected(fresh.error());
    if (auto saved = write_file(key_file, fresh->key_pem); !saved) return tl::unexpected(saved.error());
    if (auto saved = write_file(certificate_file, fresh->certificate_pem); !saved)
      return tl::unexpected(saved.error());
  }
  auto loaded = load_files(certificate_file, key_file);
  if (!loaded) return loaded;
  loaded->made = missing || renew;
  if (renew)
    notice = fmt::format(
        "the self-signed certificate was about to end: a new one was made, its fingerprint is now {}",
        loaded->facts.fingerprint_sha256);
  loaded->notice = std::move(notice);
  loaded->facts.source = "self_signed";
  return loaded;
}

}  // namespace

std::vector<std::string> own_names() {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0') names.emplace_back(host.data());
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return names;
  for (const ifaddrs* at = interfaces; at != nullptr && names.size() < kMaxNames; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || (at->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* address = nullptr;
    if (at->ifa_addr->sa_family == AF_INET)
      address = &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr;
    if (at->ifa_addr->sa_family == AF_INET6)
      address = &reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr;
    if (address == nullptr ||
        inet_ntop(at->ifa_addr->sa_family, address, text.data(), text.size()) == nullptr)
      continue;
    if (std::find(names.begin(), names.end(), text.data()) == names.end()) names.emplace_back(text.data());
  }
  freeifaddrs(interfaces);
  return names;
}

Result<Certificate> load_certificate(const CertificatePlace& place, std::int64_t now_s) {
  if (!place.certificate_file.empty()) {
    auto loaded = load_files(place.certificate_file, place.key_file);
    if (loaded) loaded->facts.source = "file";
    return loaded;
  }
  const std::string uploaded = uploaded_file(place);
  std::string notice;
  if (auto both = read_file(uploaded, 2 * kMaxPemBytes + 1)) {
    if (auto loaded = judge(*both, *both)) {
      loaded->facts.source = "uploaded";
      loaded->facts.file = uploaded;
      return loaded;
    }
    const std::string aside = uploaded + ".damaged";
    if (std::rename(uploaded.c_str(), aside.c_str()) != 0)
      return fail(ErrorCode::kIo, fmt::format("{}: cannot be put aside as {}", uploaded, aside));
    notice = fmt::format("{} cannot be read: it was put aside as {}, the self-signed certificate is in use",
                         uploaded, aside);
  } else if (both.error().code != ErrorCode::kMissing) {
    return tl::unexpected(both.error());
  }
  auto loaded = load_self_signed(place, now_s);
  if (loaded && !notice.empty())
    loaded->notice = loaded->notice.empty() ? notice : notice + "; " + loaded->notice;
  return loaded;
}

Result<void> keep_uploaded(const CertificatePlace& place, const std::string& certificate_pem,
                           const std::string& key_pem, std::int64_t now_s) {
  if (!place.certificate_file.empty())
    return fail(ErrorCode::kConflict, fmt::format("The certificate comes from the file {}: change it there.",
                                                  place.certificate_file));
  const auto judged = judge(certificate_pem, key_pem);
  if (!judged) return tl::unexpected(judged.error());
  if (judged->facts.not_after_s <= now_s)
    return fail(ErrorCode::kInvalid,
                fmt::format("certificate: expected one that is valid now, this one ended on {}",
                            day_text(judged->facts.not_after_s)));
  if (judged->facts.not_before_s > now_s)
    return fail(ErrorCode::kInvalid,
                fmt::format("certificate: expected one that is valid now, this one begins on {}",
                            day_text(judged->facts.not_before_s)));
  // The key first: it is the one that is found if the other text holds one as well.
  const std::string both = key_pem + "\n" + certificate_pem;
  if (auto good = judge(both, both); !good) return tl::unexpected(good.error());
  return write_file(uploaded_file(place), both);
}

Result<void> forget_uploaded(const CertificatePlace& place) {
  if (!place.certificate_file.empty())
    return fail(ErrorCode::kConflict, fmt::format("The certificate comes from the file {}: change it there.",
                                                  place.certificate_file));
  if (std::remove(uploaded_file(place).c_str()) == 0) return {};
  if (errno == ENOENT) return fail(ErrorCode::kUnknown, "No certificate is uploaded.");
  return fail(ErrorCode::kIo, uploaded_file(place) + ": cannot be removed");
}

}  // namespace wafd::console
