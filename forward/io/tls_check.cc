#include "forward/io/tls_check.h"

#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "detect/core/free_with.h"
#include "detect/core/ip_address.h"
#include "files/given_text.h"
#include "forward/io/tls_settings.h"

namespace wafd::forward {
namespace {

using X509Ptr = std::unique_ptr<X509, FreeWith<X509_free>>;
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;

constexpr std::size_t kMaxCertificates = 500;  // more than any system's bundle has

std::vector<X509Ptr> certificates_of(const std::string& pem) {
  std::vector<X509Ptr> out;
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  while (out.size() < kMaxCertificates) {
    X509Ptr next(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!next) break;
    out.push_back(std::move(next));
  }
  ERR_clear_error();  // the end of the text
  return out;
}

std::string subject_of(const X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string day_of(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unreadable date";
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

// Empty: valid at that time.
std::string out_of_time(const X509* certificate, std::int64_t now_s) {
  auto now = static_cast<time_t>(now_s);
  if (X509_cmp_time(X509_get0_notAfter(certificate), &now) < 0)
    return fmt::format("expired on {}", day_of(X509_get0_notAfter(certificate)));
  if (X509_cmp_time(X509_get0_notBefore(certificate), &now) > 0)
    return fmt::format("is not valid before {}", day_of(X509_get0_notBefore(certificate)));
  return {};
}

bool is_for(X509* certificate, const std::string& name) {
  if (IpAddress::parse(name)) return X509_check_ip_asc(certificate, name.c_str(), 0) == 1;
  return X509_check_host(certificate, name.data(), name.size(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS,
                         nullptr) == 1;
}

// Why this certificate cannot vouch for the receiver; empty: it can.
std::string useless_authority(X509* certificate, const TargetSettings& target, std::int64_t now_s) {
  if (std::string why = out_of_time(certificate, now_s); !why.empty()) return why;
  if (X509_check_ca(certificate) != 0) return {};
  if ((X509_get_extension_flags(certificate) & EXFLAG_SS) == 0)
    return "is not a CA: expected the certificate of who signed the receiver's";
  std::vector<std::string> names{tls_name(target.tls, {target.host, target.port})};
  for (const auto& b : target.backups) names.push_back(tls_name(target.tls, b));
  for (const auto& name : names)
    if (!is_for(certificate, name)) return fmt::format("is not a CA, and not made for {}", name);
  return {};
}

Result<void> check_authorities(const TargetSettings& target, std::int64_t now_s) {
  if (target.tls.ca.empty()) return {};
  const auto pem = read_pem("tls.ca", target.tls.ca);
  if (!pem) return tl::unexpected(pem.error());
  const auto all = certificates_of(*pem);
  if (all.empty()) return fail(ErrorCode::kInvalid, "tls.ca: expected PEM certificates");
  std::string first;
  for (const auto& one : all) {
    const std::string why = useless_authority(one.get(), target, now_s);
    if (why.empty() || !target.tls.verify) return {};
    if (first.empty()) first = fmt::format("tls.ca: the certificate {} {}", subject_of(one.get()), why);
  }
  return fail(ErrorCode::kInvalid, std::move(first));
}

Result<void> check_certificate(const TargetSettings& target, std::int64_t now_s) {
  if (target.tls.certificate.empty()) return {};
  const auto pem = read_pem("tls.certificate", target.tls.certificate);
  if (!pem) return tl::unexpected(pem.error());
  const auto all = certificates_of(*pem);
  if (all.empty()) return fail(ErrorCode::kInvalid, "tls.certificate: expected a PEM certificate");
  for (const auto& one : all)
    if (const std::string why = out_of_time(one.get(), now_s); !why.empty())
      return fail(ErrorCode::kInvalid,
                  fmt::format("tls.certificate: the certificate {} {}", subject_of(one.get()), why));
  if (X509_check_purpose(all.front().get(), X509_PURPOSE_SSL_CLIENT, 0) != 1)
    return fail(
        ErrorCode::kInvalid,
        fmt::format("tls.certificate: the certificate {} is not made for TLS clients (extended key usage)",
                    subject_of(all.front().get())));
  return {};
}

}  // namespace

Result<void> check_tls(const TargetSettings& target, std::int64_t now_s) {
  ERR_clear_error();
  if (auto good = check_authorities(target, now_s); !good) return good;
  if (auto good = check_certificate(target, now_s); !good) return good;
  // The rest is what a connection needs: the key, and that it is the certificate's.
  if (auto context = tls_context(target.tls); !context) return tl::unexpected(context.error());
  return {};
}

}  // namespace wafd::forward
