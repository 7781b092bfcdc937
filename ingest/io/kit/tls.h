// TLS over any Stream, server and client, by OpenSSL with memory BIOs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ingest/io/kit/stream.h"

namespace wafd::kit {

struct TlsServerOptions {
  std::string certificate_pem;  // leaf first, then the chain
  std::string key_pem;
  std::string min_version = "1.2";  // "1.2" | "1.3"
  std::vector<std::string> alpn;    // in order of preference; empty: none
  std::string client_ca_pem;        // if set, clients must show a certificate of it
};

struct TlsClientOptions {
  bool verify = true;  // chain and name; off is for fingerprints and tests
  std::string ca_pem;  // empty: the system's
  std::string
      fingerprint_sha256;  // hex, colons allowed: the peer's leaf must have it (RFC 5425 section 4.2.2)
  std::string min_version = "1.2";
  std::string certificate_pem;  // ours, with chain; empty: none
  std::string key_pem;
};

// About the session, for status pages and the connection test. Texts of the certificate are escaped by
// OpenSSL.
struct TlsInfo {
  std::string version;  // "TLSv1.3"
  std::string cipher;
  std::string alpn;
  bool verified = false;     // chain and name were checked
  std::string peer_subject;  // empty: the peer showed no certificate
  std::string peer_issuer;
  std::vector<std::string> peer_names;  // subjectAltName
  std::int64_t peer_not_before_s = 0;   // Unix time
  std::int64_t peer_not_after_s = 0;
  std::string peer_fingerprint_sha256;  // lower-case hex
};

struct CertificateInfo {
  std::string subject;  // RFC 2253, escaped by OpenSSL
  std::string issuer;
  std::vector<std::string> names;  // subjectAltName, at most 64
  std::int64_t not_before_s = 0;   // Unix time
  std::int64_t not_after_s = 0;
  std::string fingerprint_sha256;  // lower-case hex
};
// Of the first certificate in `pem`.
Result<CertificateInfo> describe_certificate(const std::string& pem);

// Immutable; may be shared by streams on any loop.
class TlsContext {
 public:
  // Errors say which of certificate, key and CA is wrong, and OpenSSL's reason.
  static Result<std::shared_ptr<const TlsContext>> server(const TlsServerOptions& options);
  static Result<std::shared_ptr<const TlsContext>> client(const TlsClientOptions& options);

  struct Impl;
  explicit TlsContext(std::unique_ptr<Impl> impl);
  ~TlsContext();
  const Impl& impl() const noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Handshakes on start(); on_open once it is done, on_end with the reason if it fails ("certificate has
// expired"). What is written before that waits. The queue and its limit are the lower stream's.
std::unique_ptr<Stream> make_tls_server(std::unique_ptr<Stream> lower,
                                        std::shared_ptr<const TlsContext> context);
// `name` is sent as SNI if it is a host name, and verified either way.
std::unique_ptr<Stream> make_tls_client(std::unique_ptr<Stream> lower,
                                        std::shared_ptr<const TlsContext> context, std::string name);

// A key and a self-signed certificate for `names` (host names and addresses), P-256, for the console's first
// start.
struct SelfSigned {
  std::string certificate_pem;
  std::string key_pem;
};
Result<SelfSigned> make_self_signed(const std::vector<std::string>& names, std::int64_t now_s, int days);

}  // namespace wafd::kit
