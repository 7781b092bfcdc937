// Certificate, key and client CA of the listeners that speak TLS: read again when a file changes, as a
// renewal does it.
#pragma once

#include <array>
#include <string>

#include "config.h"
#include "ingest/io/ingest.h"

namespace wafd {

// One thread.
class ListenerCertificates {
 public:
  explicit ListenerCertificates(const Config& config) : config_(config) {}

  void remember();                              // the files are as they are read now
  void reopen_changed(ingest::Ingest& ingest);  // those before stay in use after an error, which is logged
  void reopen(ingest::Ingest& ingest);          // whatever the files are now

 private:
  static constexpr std::array kListeners{ingest::IngestListener::kT1k, ingest::IngestListener::kEnvoy};

  std::string stamp(ingest::IngestListener listener) const;

  const Config& config_;
  std::array<std::string, kListeners.size()> stamps_;
};

}  // namespace wafd
