#include "listener_certificates.h"

#include <algorithm>

#include <spdlog/spdlog.h>

#include "file_stamp.h"
#include "ingest_options.h"

namespace wafd {

// Empty without a certificate.
std::string ListenerCertificates::stamp(ingest::IngestListener listener) const {
  const bool envoy = listener == ingest::IngestListener::kEnvoy;
  const std::string& certificate = envoy ? config_.envoy_certificate : config_.t1k_certificate;
  if (certificate.empty()) return {};
  return stamp_of(certificate) + stamp_of(envoy ? config_.envoy_key : config_.t1k_key) +
         stamp_of(envoy ? config_.envoy_client_ca : config_.t1k_client_ca);
}

void ListenerCertificates::remember() {
  std::transform(kListeners.begin(), kListeners.end(), stamps_.begin(),
                 [this](ingest::IngestListener listener) { return stamp(listener); });
}

void ListenerCertificates::reopen_changed(ingest::Ingest& ingest) {
  for (std::size_t i = 0; i < kListeners.size(); ++i) {
    const ingest::IngestListener listener = kListeners[i];
    std::string now = stamp(listener);
    if (now == stamps_[i]) continue;
    stamps_[i] = std::move(now);
    const auto files = listener_tls(config_, listener);
    const auto done = files ? ingest.swap_tls(listener, *files) : tl::unexpected<Error>(files.error());
    if (done)
      spdlog::info("ingest.{}: certificate, key and client CA are read again, for new connections",
                   to_string(listener));
    else
      spdlog::error("{}; those before stay in use", done.error().what);
  }
}

void ListenerCertificates::reopen(ingest::Ingest& ingest) {
  stamps_.fill({});
  reopen_changed(ingest);
}

}  // namespace wafd
