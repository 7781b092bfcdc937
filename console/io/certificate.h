// The certificate of the HTTPS listener: the operator's files, or a self-signed one made at the first start.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "detect/core/error.h"
#include "ingest/io/kit/tls.h"

namespace wafd::console {

struct CertificatePlace {
  std::string certificate_file;  // PEM; both empty: console.crt and console.key in the state folder
  std::string key_file;
  std::string state_dir;
  std::vector<std::string> names;  // for a self-signed one: host names and addresses
};

struct Certificate {
  std::shared_ptr<const kit::TlsContext> context;
  std::string fingerprint_sha256;  // "AB:CD:…" of the leaf
  bool made = false;               // a new one was made
  std::string notice;              // one line for people: why there is another one than before
};

// Reads, or makes (key mode 0600) where none is or the self-signed one ends within 30 days. A file whose
// counterpart is missing is kept beside, under another name.
Result<Certificate> load_certificate(const CertificatePlace& place, std::int64_t now_s);

// This machine: its host name, "localhost", the addresses of its interfaces, at most 64.
std::vector<std::string> own_names();

}  // namespace wafd::console
