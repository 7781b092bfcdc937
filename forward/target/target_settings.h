// One syslog receiver as people configure it: the target object of the HTTP API, with its defaults and
// validation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "forward/target/postgres_settings.h"
#include "json/object_rows.h"

namespace wafd::forward {

enum class Transport : std::uint8_t { kUdp, kTcp, kTls, kRelp, kKafka, kPostgresql };
enum class HeaderFormat : std::uint8_t { kRfc5424, kRfc3164 };
enum class Content : std::uint8_t { kJson, kCef, kLeef, kEcs };
enum class Framing : std::uint8_t { kOctetCounting, kLf };
enum class RequestDetail : std::uint8_t { kFull, kHeaders, kNone };

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};

struct TlsSettings {
  bool enabled = false;  // tls: always; relp, kafka, postgresql: as it says; udp, tcp: never
  bool verify = true;
  std::string ca;           // PEM text or file:/PATH; empty: the system's
  std::string server_name;  // empty: the host
  std::string fingerprint_sha256;
  std::string min_version = "1.2";
  std::string certificate;  // PEM text or file:/PATH
  std::string key;          // PEM text or file:/PATH; never returned
};

struct TargetSettings {
  std::string id;  // made by us; 8 to 64 of [a-z0-9-]
  std::string name;
  bool enabled = true;
  Transport transport = Transport::kUdp;
  std::string host;
  std::uint16_t port = 514;
  std::vector<HostPort> backups;
  HeaderFormat header = HeaderFormat::kRfc5424;
  Content content = Content::kJson;
  Framing framing = Framing::kOctetCounting;
  int facility = 3;             // 0..23
  std::optional<int> severity;  // 0..7; none: by risk
  std::string app_name = "wafd";
  std::string hostname;  // empty: the node's name
  std::string filter = "action:deny,monitor";
  std::vector<std::string> streams = {"event"};
  RequestDetail request_detail = RequestDetail::kFull;
  std::uint32_t max_message_bytes = 8192;  // default 8192 on UDP, 65536 on streams
  int time_precision = 3;                  // 3 or 6
  bool bom = false;
  bool sequence_id = false;
  std::uint32_t rate_limit = 0;         // messages a second, 0 = none
  std::int64_t wait_for_report_ms = 0;  // 0..60000: how long an event waits for its response report
  std::string source_address;
  TlsSettings tls;
  boost::json::object kafka;
  PostgresSettings postgresql;
};

// Whether somebody may connect with what was read; a preview of messages does not, and needs no secret.
enum class SecretUse : std::uint8_t { kConnects, kShowsOnly };

// Reads a target object. Unknown members, wrong types and values out of range are errors naming the member:
// `what` = "port: expected an integer from 1 to 65535, got 99999". Forbidden destinations are not judged here
// (destination.h). `previous`, if given, supplies the secrets that a client never got to see (tls.key absent:
// keep), but not to another destination or protection than they were saved with (stored_secrets.h): there the
// secret is an error of its own, `tls.key: expected again, because host is not as it was saved with ...`.
Result<TargetSettings> parse_target(const boost::json::object& object,
                                    const TargetSettings* previous = nullptr,
                                    SecretUse use = SecretUse::kConnects);

// All members; `with_secrets` for settings.json, else tls.key is left out and tls.key_set tells.
boost::json::object to_json(const TargetSettings& target, bool with_secrets);

// "Target", "TlsSettings", "PostgresqlSettings" and "HostPort"; nothing for other names.
std::optional<ObjectDescription> describe_target(std::string_view object);

// An IPv4 or IPv6 address, or a host name (RFC 1123 labels, '_' allowed) that could not be mistaken for one.
bool valid_host(std::string_view host);

// The receiver, or with `index` from 1 on its backups.
HostPort receiver_at(const TargetSettings& target, std::size_t index);
bool uses_tls(const TargetSettings& target) noexcept;
// Whether people choose if the connection is encrypted.
bool may_encrypt(Transport transport) noexcept;
// The target as messages are made for it: a database keeps records, whatever syslog would make of them.
TargetSettings message_settings(const TargetSettings& target);
std::uint16_t default_port(Transport transport) noexcept;  // 514, 601, 6514, 2514, 9092, 5432
const char* to_string(Transport) noexcept;

}  // namespace wafd::forward
