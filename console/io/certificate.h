// The certificate of the HTTPS listener: the operator's files, an uploaded one, or a self-signed one made at
// the first start.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "console/settings/certificate_keeper.h"
#include "detect/core/error.h"
#include "ingest/io/kit/tls.h"

namespace wafd::console {

struct CertificatePlace {
  std::string certificate_file;  // PEM; both empty: what is uploaded, else console.crt and console.key
  std::string key_file;
  std::string state_dir;
  std::vector<std::string> names;  // for a self-signed one: host names and addresses
};

struct Certificate {
  std::shared_ptr<const kit::TlsContext> context;
  CertificateFacts facts;
  bool made = false;      // a new one was made
  bool fallback = false;  // the configured files cannot be used: self-signed instead
  std::string notice;     // one line for people: why there is another one than before
};

// Bytes of a certificate with its chain, or of a key, that are read.
inline constexpr std::size_t kMaxPemBytes = 256u << 10;
// A self-signed certificate is made anew, and others are warned of, this long before they end.
inline constexpr std::int64_t kRenewBeforeS = 30ll * 24 * 3600;

// Reads, or makes (key mode 0600) where none is or the self-signed one ends within 30 days. Files that cannot
// be used, damaged, not a pair, or one without the other, are kept beside under another name, and a new
// self-signed one is made, in memory alone where it cannot be written. An error: no certificate can be made
// at all. `may_fall_back` false: configured files that cannot be used are an error, for a reload.
Result<Certificate> load_certificate(const CertificatePlace& place, std::int64_t now_s,
                                     bool may_fall_back = true);

// Judges the two and keeps them in the state folder, as one file, so that a crash leaves the old pair or the
// new. kInvalid names the member: "certificate: …", "key: …"; kConflict: the configuration names files.
Result<void> keep_uploaded(const CertificatePlace& place, const std::string& certificate_pem,
                           const std::string& key_pem, std::int64_t now_s);
// Puts the uploaded one away; kMissing if there is none.
Result<void> forget_uploaded(const CertificatePlace& place);

// This machine: its host name, "localhost", the addresses of its interfaces, at most 64.
std::vector<std::string> own_names();

}  // namespace wafd::console
