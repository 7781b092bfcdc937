// Shared by the parts of the TLS filter: OpenSSL's types with owners.
#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "detect/core/free_with.h"
#include "ingest/io/kit/tls.h"

namespace wafd::kit {

using SslCtxPtr = std::unique_ptr<SSL_CTX, FreeWith<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, FreeWith<SSL_free>>;
using X509Ptr = std::unique_ptr<X509, FreeWith<X509_free>>;
using PkeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;

struct TlsContext::Impl {
  SslCtxPtr ctx;
  bool verify = false;
  std::string fingerprint;  // lower-case hex, no colons
  std::string alpn;         // server: wire form, in order of preference
};

// The oldest error of OpenSSL's queue in words; empties the queue.
std::string take_openssl_error();
std::string fingerprint_sha256(X509* certificate);
TlsInfo describe_session(SSL* ssl, bool verified);

}  // namespace wafd::kit
