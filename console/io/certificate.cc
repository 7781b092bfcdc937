#include "console/io/certificate.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console/base/files.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxPemBytes = 256u << 10;
constexpr int kSelfSignedDays = 3650;
constexpr std::int64_t kRenewBeforeS = 30ll * 24 * 3600;
constexpr std::size_t kMaxNames = 64;

using X509Ptr = std::unique_ptr<X509, decltype(&X509_free)>;

X509Ptr first_certificate(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  return {bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr, &X509_free};
}

std::string fingerprint_of(const std::string& pem) {
  const X509Ptr certificate = first_certificate(pem);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (!certificate || X509_digest(certificate.get(), EVP_sha256(), digest.data(), &length) != 1) return {};
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{}{:02X}", i == 0 ? "" : ":", digest[i]);
  return text;
}

bool ends_soon(const std::string& pem, std::int64_t now_s) {
  const X509Ptr certificate = first_certificate(pem);
  if (!certificate) return false;
  time_t limit = now_s + kRenewBeforeS;
  return X509_cmp_time(X509_get0_notAfter(certificate.get()), &limit) < 0;
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
  const bool own = place.certificate_file.empty();
  const std::string certificate_file = own ? place.state_dir + "/console.crt" : place.certificate_file;
  const std::string key_file = own ? place.state_dir + "/console.key" : place.key_file;
  Certificate loaded;
  auto pem = read_file(certificate_file, kMaxPemBytes);
  auto key = read_file(key_file, kMaxPemBytes);
  const bool missing =
      (!pem && pem.error().code == ErrorCode::kMissing) || (!key && key.error().code == ErrorCode::kMissing);
  if (own && missing && pem.has_value() != key.has_value()) {
    const std::string& there = pem ? certificate_file : key_file;
    const std::string aside = there + ".unpaired";
    if (std::rename(there.c_str(), aside.c_str()) != 0)
      return fail(ErrorCode::kIo, fmt::format("{}: cannot be put aside as {}", there, aside));
    loaded.notice = fmt::format(
        "{} is missing: a new self-signed certificate was made, so its fingerprint is another one; {} was "
        "put "
        "aside as {}",
        pem ? key_file : certificate_file, there, aside);
  } else if (own && pem && key && ends_soon(*pem, now_s)) {
    loaded.notice =
        "the self-signed certificate was about to end: a new one was made, its fingerprint is another one";
  }
  if (own && (missing || (pem && ends_soon(*pem, now_s)))) {
    auto fresh = kit::make_self_signed(place.names, now_s, kSelfSignedDays);
    if (!fresh) return tl::unexpected(fresh.error());
    if (auto saved = write_file(key_file, fresh->key_pem); !saved) return tl::unexpected(saved.error());
    if (auto saved = write_file(certificate_file, fresh->certificate_pem); !saved)
      return tl::unexpected(saved.error());
    pem = std::move(fresh->certificate_pem);
    key = std::move(fresh->key_pem);
    loaded.made = true;
  }
  if (!pem) return tl::unexpected(pem.error());
  if (!key) return tl::unexpected(key.error());
  kit::TlsServerOptions options;
  options.certificate_pem = *pem;
  options.key_pem = *key;
  options.alpn = {"http/1.1"};
  auto context = kit::TlsContext::server(options);
  if (!context) {
    return fail(context.error().code,
                fmt::format("{} and {}: {}", certificate_file, key_file, context.error().what));
  }
  loaded.context = std::move(*context);
  loaded.fingerprint_sha256 = fingerprint_of(*pem);
  return loaded;
}

}  // namespace wafd::console
