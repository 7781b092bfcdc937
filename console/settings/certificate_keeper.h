// The certificate of the HTTPS listener as the API shows and changes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"

namespace wafd::console {

struct CertificateFacts {
  std::string source;  // "self_signed" | "uploaded" | "file"
  std::string file;    // it is read from
  std::string subject;
  std::string issuer;
  std::vector<std::string> names;  // subjectAltName
  std::int64_t not_before_s = 0;   // Unix time
  std::int64_t not_after_s = 0;
  std::string fingerprint_sha256;  // "AB:CD:…" of the leaf
};

// Console loop. Connections that are open keep the certificate they began with.
class CertificateKeeper {
 public:
  virtual ~CertificateKeeper() = default;
  virtual const CertificateFacts& facts() const = 0;
  // PEM, leaf first. kInvalid names the member ("key: …"); kConflict: the configuration decides.
  virtual Result<void> upload(const std::string& certificate, const std::string& key) = 0;
  // Back to the self-signed one; kUnknown: none is uploaded.
  virtual Result<void> forget() = 0;
};

}  // namespace wafd::console
