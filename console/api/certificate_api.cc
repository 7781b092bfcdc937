// The certificate of the console: what is in use, an upload, back to the self-signed one.
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "console/api/api_parts.h"
#include "console/api/routing/etag.h"
#include "console/base/problem.h"
#include "json/object_reader.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxUploadedPemBytes = 128u << 10;

boost::json::object to_json(const CertificateFacts& facts) {
  boost::json::array names;
  for (const std::string& name : facts.names) names.emplace_back(name);
  return {{"source", facts.source},           {"file", facts.file},
          {"subject", facts.subject},         {"issuer", facts.issuer},
          {"names", std::move(names)},        {"not_before_s", facts.not_before_s},
          {"not_after_s", facts.not_after_s}, {"fingerprint_sha256", facts.fingerprint_sha256}};
}

HttpResponse show_certificate(const Services& services) {
  return answer_object(200, with_etag(to_json(services.certificate->facts())));
}

HttpResponse upload(Services& services, Call& call) {
  std::string certificate;
  std::string key;
  ObjectReader reader(call.body);
  reader.require("certificate").text("certificate", certificate, 1, kMaxUploadedPemBytes);
  reader.require("key").text("key", key, 1, kMaxUploadedPemBytes);
  if (auto good = reader.finish(); !good) return problem_of(good.error());
  const CertificateFacts before = services.certificate->facts();
  if (auto refused = refuse_outdated(call.request, to_json(before))) return std::move(*refused);
  if (auto done = services.certificate->upload(certificate, key); !done) return problem_of(done.error());
  const CertificateFacts& now = services.certificate->facts();
  services.audit(call, "certificate.upload", now.subject,
                 {{"fingerprint_sha256", now.fingerprint_sha256}, {"before", before.fingerprint_sha256}});
  return show_certificate(services);
}

HttpResponse forget(Services& services, Call& call) {
  const CertificateFacts before = services.certificate->facts();
  if (auto refused = refuse_outdated(call.request, to_json(before))) return std::move(*refused);
  if (auto done = services.certificate->forget(); !done) return problem_of(done.error());
  const CertificateFacts& now = services.certificate->facts();
  services.audit(call, "certificate.remove", before.subject,
                 {{"fingerprint_sha256", now.fingerprint_sha256}, {"before", before.fingerprint_sha256}});
  return show_certificate(services);
}

}  // namespace

std::vector<Route> certificate_routes(Services& services) {
  const std::string path = "/api/v1/certificate";
  return with_if_match({
      operation("GET", path, Role::kViewer, "getCertificate", "The certificate of the console")
          .answers("Certificate")
          .by(services, show_certificate),
      operation("PUT", path, Role::kAdmin, "uploadCertificate",
                "Use another certificate from now on; open connections keep theirs")
          .takes("CertificateUpload")
          .answers("Certificate")
          .by(services, upload),
      operation("DELETE", path, Role::kAdmin, "removeCertificate", "Back to the self-signed certificate")
          .answers("Certificate")
          .by(services, forget),
  });
}

}  // namespace wafd::console
