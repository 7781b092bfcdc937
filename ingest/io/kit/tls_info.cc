#include <array>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <time.h>

#include "detect/core/ip_address.h"
#include "ingest/io/kit/tls_impl.h"

namespace wafd::kit {
namespace {

std::string text_of(const X509_NAME* name) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::int64_t unix_time_of(const ASN1_TIME* time) {
  tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? static_cast<std::int64_t>(timegm(&parts)) : 0;
}

std::vector<std::string> names_of(const X509* certificate) {
  std::vector<std::string> out;
  auto* names =
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  const std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>> owned(names);
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names) && out.size() < 64; ++i) {
    int type = 0;
    const auto* value =
        static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type));
    if (type != GEN_DNS && type != GEN_IPADD) continue;
    const auto* data = ASN1_STRING_get0_data(value);
    const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
    if (type == GEN_DNS) {
      out.emplace_back(reinterpret_cast<const char*>(data), size);
    } else if (size == 4) {
      std::array<std::uint8_t, 4> v4{};
      std::memcpy(v4.data(), data, 4);
      out.push_back(IpAddress::from_v4(v4).text());
    } else if (size == 16) {
      IpAddress v6;
      std::memcpy(v6.bytes.data(), data, 16);
      out.push_back(v6.text());
    }
  }
  return out;
}

CertificateInfo describe(X509* certificate) {
  CertificateInfo out;
  out.subject = text_of(X509_get_subject_name(certificate));
  out.issuer = text_of(X509_get_issuer_name(certificate));
  out.names = names_of(certificate);
  out.not_before_s = unix_time_of(X509_get0_notBefore(certificate));
  out.not_after_s = unix_time_of(X509_get0_notAfter(certificate));
  out.fingerprint_sha256 = fingerprint_sha256(certificate);
  return out;
}

}  // namespace

Result<CertificateInfo> describe_certificate(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const X509Ptr certificate(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!certificate) return fail(ErrorCode::kInvalid, "certificate: expected a PEM certificate");
  return describe(certificate.get());
}

TlsInfo describe_session(SSL* ssl, bool verified) {
  TlsInfo out;
  out.version = SSL_get_version(ssl);
  out.cipher = SSL_get_cipher_name(ssl);
  const unsigned char* protocol = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl, &protocol, &size);
  out.alpn.assign(reinterpret_cast<const char*>(protocol), size);
  X509Ptr peer(SSL_get1_peer_certificate(ssl));
  if (!peer) {  // a certificate that was not believed is in the chain alone, of which a server's has it first
    STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(ssl);
    if (SSL_is_server(ssl) != 0 || chain == nullptr || sk_X509_num(chain) == 0) return out;
    X509_up_ref(sk_X509_value(chain, 0));
    peer.reset(sk_X509_value(chain, 0));
  }
  out.verified = verified && SSL_get_verify_result(ssl) == X509_V_OK;
  CertificateInfo shown = describe(peer.get());
  out.peer_subject = std::move(shown.subject);
  out.peer_issuer = std::move(shown.issuer);
  out.peer_names = std::move(shown.names);
  out.peer_not_before_s = shown.not_before_s;
  out.peer_not_after_s = shown.not_after_s;
  out.peer_fingerprint_sha256 = std::move(shown.fingerprint_sha256);
  return out;
}

}  // namespace wafd::kit
