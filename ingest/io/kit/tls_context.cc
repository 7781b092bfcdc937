#include <cstring>
#include <ctime>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "ingest/io/kit/tls_impl.h"

namespace wafd::kit {
namespace {

tl::unexpected<Error> tls_fail(std::string_view what) {
  const auto reason = take_openssl_error();
  return fail(ErrorCode::kInvalid, reason.empty() ? std::string(what) : fmt::format("{}: {}", what, reason));
}

BioPtr bio_of(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// No pass phrase is ever asked for on a terminal.
int no_password(char*, int, int, void*) { return -1; }

Result<void> set_min_version(SSL_CTX* ctx, std::string_view version) {
  if (version != "1.2" && version != "1.3")
    return fail(ErrorCode::kInvalid, "min_version: expected 1.2 or 1.3");
  SSL_CTX_set_min_proto_version(ctx, version == "1.3" ? TLS1_3_VERSION : TLS1_2_VERSION);
  return {};
}

// OpenSSL compares the public halves alone: a key whose secret half is damaged would be found by the first
// handshake.
bool signs_for(EVP_PKEY* key, X509* certificate) {
  using Context = std::unique_ptr<EVP_MD_CTX, FreeWith<EVP_MD_CTX_free>>;
  const Context sign(EVP_MD_CTX_new()), verify(EVP_MD_CTX_new());
  constexpr unsigned char kText[] = "wafd";
  const bool own_digest =
      EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 || EVP_PKEY_get_base_id(key) == EVP_PKEY_ED448;
  const EVP_MD* digest = own_digest ? nullptr : EVP_sha256();
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(key)), '\0');
  std::size_t size = signature.size();
  auto* out = reinterpret_cast<unsigned char*>(signature.data());
  return EVP_DigestSignInit(sign.get(), nullptr, digest, nullptr, key) == 1 &&
         EVP_DigestSign(sign.get(), out, &size, kText, sizeof kText) == 1 &&
         EVP_DigestVerifyInit(verify.get(), nullptr, digest, nullptr, X509_get0_pubkey(certificate)) == 1 &&
         EVP_DigestVerify(verify.get(), out, size, kText, sizeof kText) == 1;
}

Result<void> set_certificate(SSL_CTX* ctx, const std::string& certificate_pem, const std::string& key_pem) {
  const auto certificates = bio_of(certificate_pem);
  const X509Ptr leaf(PEM_read_bio_X509_AUX(certificates.get(), nullptr, no_password, nullptr));
  if (!leaf || SSL_CTX_use_certificate(ctx, leaf.get()) != 1)
    return tls_fail("certificate: expected a PEM certificate");
  while (X509* next = PEM_read_bio_X509(certificates.get(), nullptr, no_password, nullptr)) {
    if (SSL_CTX_add0_chain_cert(ctx, next) != 1) {
      X509_free(next);
      return tls_fail("certificate: bad chain");
    }
  }
  ERR_clear_error();  // the end of the file
  const PkeyPtr key(PEM_read_bio_PrivateKey(bio_of(key_pem).get(), nullptr, no_password, nullptr));
  if (!key) return tls_fail("key: expected an unencrypted PEM private key");
  if (SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1)
    return tls_fail("key: does not belong to the certificate");
  if (!signs_for(key.get(), leaf.get())) return tls_fail("key: damaged, what it signs does not verify");
  return {};
}

Result<void> add_authorities(SSL_CTX* ctx, const std::string& ca_pem, bool name_them) {
  const auto bio = bio_of(ca_pem);
  int count = 0;
  while (true) {
    const X509Ptr authority(PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr));
    if (!authority) break;
    X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), authority.get());
    if (name_them) SSL_CTX_add_client_CA(ctx, authority.get());
    ++count;
  }
  if (count == 0) return tls_fail("ca: expected PEM certificates");
  ERR_clear_error();
  return {};
}

int select_alpn(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                unsigned in_size, void* arg) noexcept {
  const auto* own = static_cast<const TlsContext::Impl*>(arg);
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, reinterpret_cast<const unsigned char*>(own->alpn.data()),
                            static_cast<unsigned>(own->alpn.size()), in, in_size) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

std::unique_ptr<TlsContext::Impl> new_context(const SSL_METHOD* method) {
  auto impl = std::make_unique<TlsContext::Impl>();
  impl->ctx.reset(SSL_CTX_new(method));
  auto* ctx = impl->ctx.get();
  SSL_CTX_set_mode(
      ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(ctx, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  return impl;
}

}  // namespace

std::string take_openssl_error() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return {};
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : fmt::format("error {:#x}", code);
}

TlsContext::TlsContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsContext::~TlsContext() = default;

Result<std::shared_ptr<const TlsContext>> TlsContext::server(const TlsServerOptions& options) {
  ERR_clear_error();
  auto impl = new_context(TLS_server_method());
  auto* ctx = impl->ctx.get();
  if (auto r = set_min_version(ctx, options.min_version); !r) return tl::unexpected(r.error());
  if (auto r = set_certificate(ctx, options.certificate_pem, options.key_pem); !r)
    return tl::unexpected(r.error());
  SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE);
  // TLS 1.2 without CBC (RFC 9325 section 4.2); TLS 1.3 has none.
  SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL");
  static constexpr unsigned char kSessionContext[] = "wafd";
  SSL_CTX_set_session_id_context(ctx, kSessionContext, sizeof kSessionContext - 1);
  if (!options.client_ca_pem.empty()) {
    if (auto r = add_authorities(ctx, options.client_ca_pem, true); !r) return tl::unexpected(r.error());
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    impl->verify = true;
  }
  for (const auto& protocol : options.alpn) {
    if (protocol.empty() || protocol.size() > 255)
      return fail(ErrorCode::kInvalid, "alpn: expected 1..255 bytes");
    impl->alpn += static_cast<char>(protocol.size());
    impl->alpn += protocol;
  }
  if (!impl->alpn.empty()) SSL_CTX_set_alpn_select_cb(ctx, select_alpn, impl.get());
  return std::make_shared<const TlsContext>(std::move(impl));
}

Result<std::shared_ptr<const TlsContext>> TlsContext::client(const TlsClientOptions& options) {
  ERR_clear_error();
  auto impl = new_context(TLS_client_method());
  auto* ctx = impl->ctx.get();
  if (auto r = set_min_version(ctx, options.min_version); !r) return tl::unexpected(r.error());
  if (!options.certificate_pem.empty() || !options.key_pem.empty()) {
    if (auto r = set_certificate(ctx, options.certificate_pem, options.key_pem); !r)
      return tl::unexpected(r.error());
  }
  if (!options.ca_pem.empty()) {
    if (auto r = add_authorities(ctx, options.ca_pem, false); !r) return tl::unexpected(r.error());
  } else if (options.verify) {
    SSL_CTX_set_default_verify_paths(ctx);
    ERR_clear_error();
  }
  for (const char c : options.fingerprint_sha256) {
    if (c == ':') continue;
    if (hex_value(c) < 0) return fail(ErrorCode::kInvalid, "fingerprint_sha256: expected 64 hex digits");
    impl->fingerprint += to_lower(c);
  }
  if (!impl->fingerprint.empty() && impl->fingerprint.size() != 64)
    return fail(ErrorCode::kInvalid, "fingerprint_sha256: expected 64 hex digits");
  impl->verify = options.verify;
  SSL_CTX_set_verify(ctx, options.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  return std::make_shared<const TlsContext>(std::move(impl));
}

std::string fingerprint_sha256(X509* certificate) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest, &size) != 1) return {};
  return to_hex({reinterpret_cast<const char*>(digest), size});
}

Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, std::int64_t now_s, int days) {
  ERR_clear_error();
  const PkeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate(X509_new());
  if (!key || !certificate || names.empty()) return tls_fail("certificate: cannot make a key");
  auto* x = certificate.get();
  X509_set_version(x, X509_VERSION_3);
  std::unique_ptr<BIGNUM, FreeWith<BN_free>> serial(BN_new());
  BN_rand(serial.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
  BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(x));
  auto at = static_cast<time_t>(now_s - 3600);  // clocks differ
  X509_time_adj_ex(X509_getm_notBefore(x), 0, 0, &at);
  X509_time_adj_ex(X509_getm_notAfter(x), days, 0, &at);
  X509_set_pubkey(x, key.get());
  auto* subject = X509_get_subject_name(x);
  const auto common = names.front().substr(0, 64);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common.data()),
                             static_cast<int>(common.size()), -1, 0);
  X509_set_issuer_name(x, subject);
  std::string alternatives;
  for (const auto& name : names) {
    if (name.find_first_of(",:\n") != std::string::npos && !IpAddress::parse(name))
      return fail(ErrorCode::kInvalid, "certificate: expected host names and addresses");
    if (!alternatives.empty()) alternatives += ',';
    alternatives += (IpAddress::parse(name) ? "IP:" : "DNS:") + name;
  }
  const std::pair<int, std::string> extensions[] = {
      {NID_subject_alt_name, alternatives},
      {NID_basic_constraints, "critical,CA:FALSE"},
      {NID_key_usage, "critical,digitalSignature"},
      {NID_ext_key_usage, "serverAuth"},
  };
  for (const auto& [nid, value] : extensions) {
    auto* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
    if (extension == nullptr) return tls_fail("certificate: bad name");
    X509_add_ext(x, extension, -1);
    X509_EXTENSION_free(extension);
  }
  if (X509_sign(x, key.get(), EVP_sha256()) == 0) return tls_fail("certificate: cannot sign");
  const BioPtr certificate_out(BIO_new(BIO_s_mem())), key_out(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_out.get(), x);
  PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  const auto text_of = [](BIO* bio) {
    char* data = nullptr;
    const auto size = BIO_get_mem_data(bio, &data);
    return std::string(data, static_cast<std::size_t>(size));
  };
  return SelfSigned{text_of(certificate_out.get()), text_of(key_out.get())};
}

}  // namespace wafd::kit
