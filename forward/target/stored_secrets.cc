#include "forward/target/stored_secrets.h"

#include <algorithm>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

bool same(const HostPort& a, const HostPort& b) { return a.host == b.host && a.port == b.port; }

bool is_receiver_of(const TargetSettings& target, const HostPort& receiver) {
  return same({target.host, target.port}, receiver) ||
         std::any_of(target.backups.begin(), target.backups.end(),
                     [&](const HostPort& backup) { return same(backup, receiver); });
}

std::string mechanism_of(const TargetSettings& target) {
  const auto* sasl = target.kafka.if_contains("sasl");
  const auto* mechanism = sasl && sasl->is_object() ? sasl->as_object().if_contains("mechanism") : nullptr;
  return mechanism && mechanism->is_string() ? std::string(mechanism->as_string()) : std::string();
}

}  // namespace

bool uses_key(const TargetSettings& target) noexcept { return uses_tls(target); }

bool uses_password(const TargetSettings& target) noexcept {
  return target.transport == Transport::kKafka || target.transport == Transport::kPostgresql;
}

std::string changed_destination(const TargetSettings& before, const TargetSettings& after) {
  if (after.transport != before.transport) return "transport";
  if (!is_receiver_of(before, {after.host, after.port})) {
    const bool known_host = after.host == before.host ||
                            std::any_of(before.backups.begin(), before.backups.end(),
                                        [&](const HostPort& backup) { return backup.host == after.host; });
    return known_host ? "port" : "host";
  }
  for (std::size_t i = 0; i < after.backups.size(); ++i)
    if (!is_receiver_of(before, after.backups[i])) return fmt::format("backups[{}]", i);
  const TlsSettings &a = before.tls, &b = after.tls;
  if (b.enabled != a.enabled) return "tls.enabled";
  if (b.verify != a.verify) return "tls.verify";
  if (b.ca != a.ca) return "tls.ca";
  if (b.server_name != a.server_name) return "tls.server_name";
  if (b.fingerprint_sha256 != a.fingerprint_sha256) return "tls.fingerprint_sha256";
  if (b.min_version != a.min_version) return "tls.min_version";
  if (mechanism_of(after) != mechanism_of(before)) return "kafka.sasl.mechanism";
  return "";
}

}  // namespace wafd::forward
