#include "forward/target/target_settings.h"

#include <algorithm>
#include <span>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/core/plain_text.h"
#include "files/given_text.h"
#include "forward/query/event_query.h"
#include "forward/target/stored_secrets.h"
#include "json/object_rows.h"

namespace wafd::forward {
namespace {

namespace json = boost::json;

constexpr std::int64_t kMinJsonBytes = 2048;  // 58 ordinary members take about 1,400 bytes
constexpr std::int64_t kMaxReportWaitMs = 60'000;
constexpr std::int64_t kMinOtherBytes = 480;  // what every receiver must take (RFC 5424 section 6.1)
constexpr std::int64_t kNamesRoom = 64;       // of these, hostname and app_name may take so many
constexpr std::int64_t kMaxUdpBytes = 65507;  // the largest UDP payload over IPv4
constexpr std::int64_t kMaxStreamBytes = 1 << 20;
constexpr std::int64_t kMaxKafkaBytes =
    1'000'000;  // brokers take 1048588 by default, with what is around a message
constexpr std::int64_t kMaxRelpBytes = 128 * 1024;  // the protocol's, for the data of a frame
constexpr std::size_t kMaxBackups = 8;
constexpr std::size_t kMaxPemBytes = 64 * 1024;

constexpr Choice<Transport> kTransports[] = {
    {"udp", Transport::kUdp},   {"tcp", Transport::kTcp},     {"tls", Transport::kTls},
    {"relp", Transport::kRelp}, {"kafka", Transport::kKafka}, {"postgresql", Transport::kPostgresql}};
constexpr Choice<HeaderFormat> kHeaders[] = {{"rfc5424", HeaderFormat::kRfc5424},
                                             {"rfc3164", HeaderFormat::kRfc3164}};
constexpr Choice<Content> kContents[] = {
    {"json", Content::kJson}, {"cef", Content::kCef}, {"leef", Content::kLeef}, {"ecs", Content::kEcs}};
constexpr Choice<Framing> kFramings[] = {{"octet_counting", Framing::kOctetCounting}, {"lf", Framing::kLf}};
constexpr Choice<RequestDetail> kDetails[] = {
    {"full", RequestDetail::kFull}, {"headers", RequestDetail::kHeaders}, {"none", RequestDetail::kNone}};

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 33 && c <= 126; });
}

ObjectReader reader_of(const json::object& object, std::string path) {
  return ObjectReader(object, std::move(path), Wording::kTarget);
}

void check_host(ObjectReader& in, std::string& host) {
  if (!in.ok()) return;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (!valid_host(host))
    in.refuse("host", "a host name, an IPv4 address or an IPv6 address", json::value(host));
}

constexpr ObjectRow<HostPort> kHostPort[] = {
    rows::text<&HostPort::host>("host", 1, 255, {"A host name or an address."})
        .checked([](ObjectReader& in, HostPort& b) { check_host(in, b.host); }),
    rows::integer<&HostPort::port>("port", 1, 65535, {"The transport's usual one unless set."}),
};

void read_backups(ObjectReader& in, const ObjectMember& member, TargetSettings& t) {
  const json::array* list = in.array(member.name, kMaxBackups);
  if (!list) return;
  for (std::size_t i = 0; i < list->size() && in.ok(); ++i) {
    const std::string where = fmt::format("backups[{}]", i);
    const json::object* o = (*list)[i].if_object();
    if (!o) return in.refuse(where, "an object {\"host\", \"port\"}", (*list)[i]);
    ObjectReader sub = reader_of(*o, where + ".");
    HostPort b;
    b.port = default_port(t.transport);
    sub.require("host");
    read_rows(sub, kHostPort, b);
    sub.finish_into(in);
    t.backups.push_back(std::move(b));
  }
}

json::value backups_json(const TargetSettings& t) {
  json::array out;
  for (const HostPort& backup : t.backups) out.emplace_back(write_rows(kHostPort, backup));
  return out;
}

void read_severity(ObjectReader& in, const ObjectMember& member, TargetSettings& t) {
  const json::value* v = in.value(member.name);
  if (!v || v->is_null()) return;
  if (const auto* s = v->if_string(); s && *s == "by_risk") {
    t.severity.reset();
    return;
  }
  const auto n = as_integer(*v);
  if (!n || *n < 0 || *n > 7) return in.refuse(member.name, "\"by_risk\" or an integer from 0 to 7", *v);
  t.severity = static_cast<int>(*n);
}

json::value severity_json(const TargetSettings& t) {
  return t.severity ? json::value(*t.severity) : json::value("by_risk");
}

void read_streams(ObjectReader& in, const ObjectMember& member, TargetSettings& t) {
  const json::array* list = in.array(member.name, 3);
  if (!list) return;
  t.streams.clear();
  for (const auto& v : *list) {
    const auto* s = v.if_string();
    if (!s || (*s != "event" && *s != "audit" && *s != "health"))
      return in.refuse(member.name, "a list of \"event\", \"audit\", \"health\"", v);
    std::string name(s->begin(), s->end());
    if (std::find(t.streams.begin(), t.streams.end(), name) == t.streams.end())
      t.streams.push_back(std::move(name));
  }
  if (t.streams.empty())
    in.refuse(member.name, "at least one of \"event\", \"audit\", \"health\"", json::array{});
}

// --- protection -------------------------------------------------------------------------------------------

constexpr ObjectRow<TlsSettings> kTls[] = {
    rows::boolean<&TlsSettings::enabled>("enabled",
                                         published("relp, kafka and postgresql alone: whether the connection "
                                                   "is encrypted; on unless set for postgresql.")),
    rows::boolean<&TlsSettings::verify>("verify", {"Whether the receiver's certificate must be good."}),
    rows::text<&TlsSettings::ca>("ca", 0, kMaxPemBytes,
                                 {"Who may have signed it: PEM text or file:/PATH; empty: the system's."}),
    rows::text<&TlsSettings::server_name>("server_name", 0, 253,
                                          {"The name that it must have; empty: the host."}),
    rows::text<&TlsSettings::fingerprint_sha256>(
        "fingerprint_sha256", 0, 95, {"The one certificate that is taken: 64 hex digits, colons allowed."}),
    rows::other<TlsSettings>("min_version", R"({"type": "string", "enum": ["1.2", "1.3"]})",
                             [](ObjectReader& in, const ObjectMember& m, TlsSettings& tls) {
                               in.text(m.name, tls.min_version, 0, 3);
                             },
                             rows::write<&TlsSettings::min_version>,
                             {"The oldest version of TLS that is spoken."}),
    rows::text<&TlsSettings::certificate>("certificate", 0, kMaxPemBytes,
                                          {"Ours, if the receiver asks: PEM text or file:/PATH."}),
    rows::text<&TlsSettings::key>("key", 0, kMaxPemBytes, {"Of our certificate; never answered."}).secret(),
    rows::answered<TlsSettings>("key_set", R"({"type": "boolean", "readOnly": true})",
                                {"Whether there is a key."}),
};

void check_pem(ObjectReader& in, std::string_view member, const std::string& text) {
  if (!in.ok() || text.empty() || names_file(text) || text.starts_with("-----BEGIN ")) return;
  in.fail_with(fmt::format("tls.{}: expected PEM text (-----BEGIN ...) or file:/PATH", member));
}

// Secrets that the client did not send and the target before supplied.
struct Kept {
  bool key = false;
  bool sasl_password = false;
  bool database_password = false;
};

// Protection and transport must fit each other.
void check_tls_transport(ObjectReader& sub, const TargetSettings& t) {
  // Options that librdkafka does not have are refused, not ignored.
  if (t.transport == Transport::kKafka && !t.tls.server_name.empty())
    sub.fail_with("tls.server_name: expected nothing over kafka, every broker is verified by its own name");
  if (t.transport == Transport::kPostgresql && !t.tls.fingerprint_sha256.empty())
    sub.fail_with(
        "tls.fingerprint_sha256: expected nothing over postgresql, whose library cannot look at it before it "
        "logs in; a self-signed certificate may be tls.ca");
  if (t.transport == Transport::kKafka && t.tls.min_version != "1.2")
    sub.refuse("min_version", "\"1.2\" over kafka", json::value(t.tls.min_version));
  if (t.transport == Transport::kTls && !t.tls.enabled)
    sub.fail_with("tls.enabled: expected true, transport \"tls\" is always encrypted");
  if ((t.transport == Transport::kUdp || t.transport == Transport::kTcp) && t.tls.enabled)
    sub.fail_with(fmt::format("tls.enabled: expected false, transport \"{}\" is never encrypted; \"tls\" is",
                              to_string(t.transport)));
}

void check_fingerprint(ObjectReader& sub, std::string& fingerprint) {
  std::string hex;
  for (char c : fingerprint)
    if (c != ':') hex += to_lower(c);
  const bool all_hex = std::all_of(hex.begin(), hex.end(), [](char c) { return hex_value(c) >= 0; });
  if (!hex.empty() && (hex.size() != 64 || !all_hex))
    sub.refuse("fingerprint_sha256", "64 hex digits (SHA-256), colons allowed", json::value(fingerprint));
  fingerprint = hex;
}

void read_tls(ObjectReader& in, TargetSettings& t, const TargetSettings* previous, Kept& kept) {
  t.tls.enabled = t.transport == Transport::kTls || t.transport == Transport::kPostgresql;
  const json::object* o = in.object("tls");
  if (!o) return;
  ObjectReader sub = reader_of(*o, "tls.");
  read_rows(sub, kTls, t.tls);
  // Who never got to see the key keeps it, as long as there is a certificate that it could belong to.
  if (!sub.has("key") && previous && !t.tls.certificate.empty()) {
    t.tls.key = previous->tls.key;
    kept.key = !t.tls.key.empty();
  }
  sub.finish_into(in);
  check_pem(sub, "ca", t.tls.ca);
  check_pem(sub, "certificate", t.tls.certificate);
  check_pem(sub, "key", t.tls.key);
  if (t.tls.min_version != "1.2" && t.tls.min_version != "1.3")
    sub.refuse("min_version", "\"1.2\" or \"1.3\"", json::value(t.tls.min_version));
  if (!t.tls.server_name.empty() && !valid_host(t.tls.server_name))
    sub.refuse("server_name", "a host name or an address", json::value(t.tls.server_name));
  check_tls_transport(sub, t);
  check_fingerprint(sub, t.tls.fingerprint_sha256);
  if (t.tls.certificate.empty() != t.tls.key.empty())
    sub.fail_with("tls.certificate: expected certificate and key together, got only one of them");
  sub.finish_into(in);
}

void read_sasl(ObjectReader& in, const json::object& given, json::object& kafka,
               const TargetSettings* previous, Kept& kept) {
  ObjectReader inner = reader_of(given, "kafka.sasl.");
  std::string mechanism, username, password;
  inner.require("mechanism").text("mechanism", mechanism, 1, 32);
  inner.require("username").text("username", username, 1, 255);
  inner.text("password", password, 0, 1024).ignore("password_set");
  inner.finish_into(in);
  if (mechanism != "PLAIN" && mechanism != "SCRAM-SHA-256" && mechanism != "SCRAM-SHA-512")
    inner.refuse("mechanism", "one of \"PLAIN\", \"SCRAM-SHA-256\", \"SCRAM-SHA-512\"",
                 json::value(mechanism));
  inner.finish_into(in);
  if (!in.ok()) return;
  if (password.empty() && previous)
    if (const auto* old = previous->kafka.if_contains("sasl"); old && old->is_object())
      if (const auto* p = old->as_object().if_contains("password"); p && p->is_string()) {
        password.assign(p->as_string().begin(), p->as_string().end());
        kept.sasl_password = !password.empty();
      }
  if (password.empty()) return in.fail_with("kafka.sasl.password: required");
  kafka["sasl"] = {{"mechanism", mechanism}, {"username", username}, {"password", password}};
}

void read_kafka(ObjectReader& in, TargetSettings& t, const TargetSettings* previous, Kept& kept) {
  const json::object* o = in.object("kafka");
  const bool wanted = t.transport == Transport::kKafka;
  if (wanted && in.ok() && (!o || o->empty())) return in.fail_with("kafka.topic: required");
  if (!o || o->empty()) return;
  ObjectReader sub = reader_of(*o, "kafka.");
  std::string topic, compression = "none";
  if (wanted) sub.require("topic");
  sub.text("topic", topic, 1, 249).text("compression", compression, 0, 8);
  const bool good_topic = std::all_of(topic.begin(), topic.end(),
                                      [](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
  if (!good_topic || topic == "." || topic == "..")
    sub.refuse("topic", "letters, digits, '.', '_', '-', and not \".\" or \"..\"", json::value(topic));
  if (compression != "none" && compression != "gzip" && compression != "snappy" && compression != "lz4" &&
      compression != "zstd")
    sub.refuse("compression", "one of \"none\", \"gzip\", \"snappy\", \"lz4\", \"zstd\"",
               json::value(compression));
  json::object kafka = {{"topic", topic}, {"compression", compression}};
  if (const json::object* sasl = sub.object("sasl")) read_sasl(sub, *sasl, kafka, previous, kept);
  sub.finish_into(in);
  if (in.ok()) t.kafka = std::move(kafka);
}

void check_id(ObjectReader& in, TargetSettings& t) {
  const bool good = t.id.empty() || (t.id.size() >= 8 && std::all_of(t.id.begin(), t.id.end(), [](char c) {
                                       return is_lower(c) || is_digit(c) || c == '-';
                                     }));
  if (!good) in.refuse("id", "8 to 64 of a-z, 0-9 and '-'", json::value(t.id));
}

void check_source_address(ObjectReader& in, TargetSettings& t) {
  if (!t.source_address.empty() && !IpAddress::parse(t.source_address))
    in.refuse("source_address", "an IPv4 or IPv6 address of this machine", json::value(t.source_address));
  if (!t.source_address.empty() && t.transport == Transport::kPostgresql)
    in.fail_with("source_address: expected nothing over postgresql, whose library chooses it by itself");
}

void check_filter(ObjectReader& in, TargetSettings& t) {
  if (const auto query = EventQuery::parse(t.filter); !query)
    in.fail_with(fmt::format("filter: at character {}: {}", query.error().offset + 1, query.error().what));
}

void check_precision(ObjectReader& in, TargetSettings& t) {
  if (t.time_precision != 3 && t.time_precision != 6)
    in.refuse("time_precision", "3 or 6", json::value(t.time_precision));
}

// A secret that nobody is shown cannot be sent to whoever a caller names.
void check_kept(ObjectReader& in, const TargetSettings& t, const TargetSettings* previous, Kept kept) {
  const bool database = t.transport == Transport::kPostgresql;
  const bool key = kept.key && uses_key(t);
  const bool password = (database ? kept.database_password : kept.sasl_password) && uses_password(t);
  if (!in.ok() || !(key || password)) return;
  const std::string changed = changed_destination(*previous, t);
  if (changed.empty()) return;
  in.fail_with(fmt::format(
      "{}: expected again, because {} is not as it was saved with: a stored secret goes only there",
      !password  ? "tls.key"
      : database ? "postgresql.password"
                 : "kafka.sasl.password",
      changed));
}

// Names are judged when their addresses are known.
void check_source_family(ObjectReader& in, const TargetSettings& t) {
  const auto source = IpAddress::parse(t.source_address);
  if (!source) return;
  const auto judge = [&](const std::string& host, const std::string& member) {
    const auto address = IpAddress::parse(host);
    if (address && address->is_v4() != source->is_v4())
      in.fail_with(fmt::format("source_address: expected an IPv{} address like {} {}, got {}",
                               address->is_v4() ? 4 : 6, member, address->text(), source->text()));
  };
  judge(t.host, "host");
  for (std::size_t i = 0; i < t.backups.size(); ++i)
    judge(t.backups[i].host, fmt::format("backups[{}].host", i));
}

void check_size(ObjectReader& in, TargetSettings& t) {
  const bool udp = t.transport == Transport::kUdp;
  if (!in.has("max_message_bytes")) {
    // A record whole, whatever it holds.
    t.max_message_bytes = udp ? 8192 : t.transport == Transport::kPostgresql ? kMaxStreamBytes : 65536;
    return;
  }
  const bool json = t.content == Content::kJson || t.content == Content::kEcs;
  const auto names = static_cast<std::int64_t>(t.hostname.size() + t.app_name.size());
  const std::int64_t least =
      json ? kMinJsonBytes : kMinOtherBytes + std::max<std::int64_t>(0, names - kNamesRoom);
  const bool relp = t.transport == Transport::kRelp, kafka = t.transport == Transport::kKafka;
  const std::int64_t most = udp     ? kMaxUdpBytes
                            : relp  ? kMaxRelpBytes
                            : kafka ? kMaxKafkaBytes
                                    : kMaxStreamBytes;
  if (t.max_message_bytes < least || t.max_message_bytes > most)
    in.fail_with(fmt::format(
        "max_message_bytes: expected an integer from {} to {} for {} content over {}, got {}", least, most,
        rows::name_of<Content>(kContents, t.content), to_string(t.transport), t.max_message_bytes));
}

void check_name(ObjectReader& in, TargetSettings& t) {
  if (!is_plain_text(t.name))
    in.refuse("name", "text without control characters and without such that change its direction",
              json::value(t.name));
}

void check_app_name(ObjectReader& in, TargetSettings& t) {
  if (!printable(t.app_name))
    in.refuse("app_name", "1 to 48 printable ASCII characters without spaces", json::value(t.app_name));
}

void check_hostname(ObjectReader& in, TargetSettings& t) {
  if (!printable(t.hostname))
    in.refuse("hostname", "at most 255 printable ASCII characters without spaces", json::value(t.hostname));
}

json::value kafka_json(const TargetSettings& t) { return t.kafka; }

json::value postgres_json(const TargetSettings& t) { return to_json(t.postgresql, true); }

json::value tls_json(const TargetSettings& t) {
  json::object out = write_rows(kTls, t.tls);
  if (!may_encrypt(t.transport)) out.stable_erase("enabled");
  return out;
}

using Target = TargetSettings;

// In the order in which they are written. tls, kafka and postgresql are read by parse_target(), which knows
// the target before.
constexpr ObjectRow<Target> kTarget[] = {
    rows::text<&Target::id>("id", 0, 64, {"8 to 64 of a-z, 0-9 and -, given by wafd."}).checked(check_id),
    rows::text<&Target::name>("name", 1, 64, {"What people call it; required."}).checked(check_name),
    rows::boolean<&Target::enabled>("enabled", {"Whether anything is sent."}),
    rows::word<&Target::transport, kTransports>("transport", "", {"How it is reached; required."})
        .checked([](ObjectReader&, Target& t) { t.port = default_port(t.transport); }),
    rows::text<&Target::host>("host", 1, 255, {"A host name or an address; required."})
        .checked([](ObjectReader& in, Target& t) { check_host(in, t.host); }),
    rows::integer<&Target::port>("port", 1, 65535,
                                 {"514, 601, 6514, 2514, 9092 or 5432 by transport unless set."})
        .range_published(),
    rows::other<Target>("backups", R"({"type": "array", "items": "@HostPort"})", read_backups, backups_json,
                        {"At most 8 receivers that are tried in turn when the first cannot be reached."}),
    rows::word<&Target::header, kHeaders>("header", "", {"The syslog header of a message."}),
    rows::word<&Target::content, kContents>("content", "", {"How the event is written (FORMATS.md)."}),
    rows::word<&Target::framing, kFramings>("framing", "", {"Where a message ends on tcp and tls."}),
    rows::integer<&Target::facility>("facility", 0, 23, {"The syslog facility."}).range_published(),
    rows::other<Target>(
        "severity", R"({"anyOf": [{"const": "by_risk"}, {"type": "integer", "minimum": 0, "maximum": 7}]})",
        read_severity, severity_json, {"The syslog severity, or by_risk: by the event's risk."}),
    rows::text<&Target::app_name>("app_name", 1, 48, {"The syslog app-name: printable ASCII without spaces."})
        .checked(check_app_name),
    rows::text<&Target::hostname>("hostname", 0, 255, {"The syslog host name; empty: the node's."})
        .checked(check_hostname),
    rows::text<&Target::filter>("filter", 0, 2000, {"An event query: which events are sent; empty: all."})
        .checked(check_filter),
    rows::other<Target>(
        "streams", R"({"type": "array", "items": {"type": "string", "enum": ["event", "audit", "health"]}})",
        read_streams, rows::write<&Target::streams>,
        {"What is sent: attack events, lines of the audit log, the node's health."}),
    rows::word<&Target::request_detail, kDetails>(
        "request_detail", "", {"full: head and body of the request; headers: the head; none: neither."}),
    rows::integer<&Target::max_message_bytes>("max_message_bytes", 0, 0xffffffffu,
                                              {"Longer messages are cut; 8192 on udp, 1048576 on postgresql, "
                                               "else 65536 unless set. What is possible depends on transport "
                                               "and content."})
        .checked(check_size),
    rows::other<Target>("time_precision", R"({"type": "integer", "enum": [3, 6]})",
                        [](ObjectReader& in, const ObjectMember& m, Target& t) {
                          in.integer(m.name, t.time_precision, 3, 6);
                        },
                        rows::write<&Target::time_precision>, {"Digits behind the seconds."})
        .checked(check_precision),
    rows::boolean<&Target::bom>("bom", {"Whether the text begins with a byte order mark (RFC 5424)."}),
    rows::boolean<&Target::sequence_id>("sequence_id", {"Whether messages are numbered (meta sequenceId)."}),
    rows::integer<&Target::rate_limit>("rate_limit", 0, 1'000'000, {"Messages a second; 0: no limit."})
        .at_least_published(),
    rows::integer<&Target::wait_for_report_ms>(
        "wait_for_report_ms", 0, kMaxReportWaitMs,
        published(
            "How long an event whose gateway announced a response report waits for it; 0: sent at once, "
            "without."))
        .range_published(),
    rows::text<&Target::source_address>("source_address", 0, 45,
                                        {"The address of this machine that it is sent from; empty: any."})
        .checked(check_source_address),
    rows::other<Target>("tls", R"("@TlsSettings")", nullptr, tls_json, {"Protection of the connection."}),
    rows::other<Target>("kafka", R"("@KafkaSettings")", nullptr, kafka_json, {"What only kafka has."}),
    rows::other<Target>("postgresql", R"("@PostgresqlSettings")", nullptr, postgres_json,
                        {"What only postgresql has."}),
    rows::answered<Target>("etag", R"({"type": "string", "readOnly": true})",
                           {"Of the answer; sent back as If-Match."}),
    rows::answered<Target>(
        "warnings", R"({"type": "array", "items": {"type": "string"}, "readOnly": true})",
        published(
            "Settings that do nothing where they stand, one sentence each that begins with the member.")),
    rows::answered<Target>("status", R"({"anyOf": ["@TargetStatus", {"type": "null"}], "readOnly": true})",
                           {"How it goes."}),
};

// Of several mistakes the first in this order is told. A member behind another may depend on it.
constexpr std::string_view kReadingOrder[] = {"id",
                                              "transport",
                                              "enabled",
                                              "host",
                                              "port",
                                              "backups",
                                              "header",
                                              "content",
                                              "framing",
                                              "facility",
                                              "severity",
                                              "name",
                                              "app_name",
                                              "hostname",
                                              "source_address",
                                              "filter",
                                              "streams",
                                              "request_detail",
                                              "max_message_bytes",
                                              "time_precision",
                                              "bom",
                                              "sequence_id",
                                              "rate_limit",
                                              "wait_for_report_ms"};
constexpr std::string_view kRequired[] = {"transport", "host", "name"};

const ObjectRow<Target>& row_of(std::string_view name) {
  return *std::find_if(std::begin(kTarget), std::end(kTarget),
                       [&](const ObjectRow<Target>& row) { return row.member.name == name; });
}

}  // namespace

bool valid_host(std::string_view host) {
  if (IpAddress::parse(host)) return true;
  if (host.empty() || host.size() > 253) return false;
  if (host.back() == '.') host.remove_suffix(1);
  std::size_t label = 0;
  bool digits_only = true;  // of the last label: such a name would be a broken IPv4 address
  for (std::size_t i = 0; i < host.size(); ++i) {
    const char c = host[i];
    if (c == '.') {
      if (label == 0 || host[i - 1] == '-') return false;
      label = 0;
      digits_only = true;
      continue;
    }
    if (!is_alnum(c) && c != '-' && c != '_') return false;
    if (c == '-' && label == 0) return false;
    if (!is_digit(c)) digits_only = false;
    if (++label > 63) return false;
  }
  return label > 0 && host.back() != '-' && !digits_only;
}

HostPort receiver_at(const TargetSettings& target, std::size_t index) {
  return index == 0 ? HostPort{target.host, target.port} : target.backups[index - 1];
}

bool uses_tls(const TargetSettings& target) noexcept {
  return target.transport == Transport::kTls || target.tls.enabled;
}

bool may_encrypt(Transport transport) noexcept {
  return transport == Transport::kRelp || transport == Transport::kKafka ||
         transport == Transport::kPostgresql;
}

TargetSettings message_settings(const TargetSettings& target) {
  TargetSettings out = target;
  if (target.transport != Transport::kPostgresql) return out;
  out.content = Content::kJson;
  out.header = HeaderFormat::kRfc5424;
  out.bom = out.sequence_id = false;
  return out;
}

std::uint16_t default_port(Transport transport) noexcept {
  switch (transport) {
    case Transport::kUdp:
      return 514;
    case Transport::kTcp:
      return 601;
    case Transport::kTls:
      return 6514;
    case Transport::kRelp:
      return 2514;
    case Transport::kKafka:
      return 9092;
    case Transport::kPostgresql:
      return 5432;
  }
  return 514;
}

const char* to_string(Transport transport) noexcept {
  return rows::name_of<Transport>(kTransports, transport).data();  // literals, so terminated
}

Result<TargetSettings> parse_target(const json::object& object, const TargetSettings* previous,
                                    SecretUse use) {
  TargetSettings t;
  Kept kept;
  ObjectReader in = reader_of(object, "");
  for (const std::string_view name : kReadingOrder) {
    if (std::find(std::begin(kRequired), std::end(kRequired), name) != std::end(kRequired)) in.require(name);
    read_row(in, row_of(name), t);
    if (name == "filter") check_source_family(in, t);
  }
  read_tls(in, t, previous, kept);
  read_kafka(in, t, previous, kept);
  kept.database_password = read_postgres(in, t.transport == Transport::kPostgresql,
                                         previous ? &previous->postgresql : nullptr, t.postgresql);
  if (use == SecretUse::kConnects) check_kept(in, t, previous, kept);
  in.ignore("status");
  if (auto good = in.finish(); !good) return tl::unexpected(good.error());
  if (t.transport == Transport::kTls && t.framing != Framing::kOctetCounting)
    return fail(ErrorCode::kInvalid, "framing: TLS knows octet_counting alone (RFC 5425 section 4.3)");
  return t;
}

json::object to_json(const TargetSettings& t, bool with_secrets) {
  json::object out = write_rows(kTarget, t);
  if (with_secrets) return out;
  hide_secret(out.at("tls").as_object(), "key");
  out["postgresql"] = to_json(t.postgresql, false);
  if (auto* sasl = out.at("kafka").as_object().if_contains("sasl"); sasl && sasl->is_object())
    hide_secret(sasl->as_object(), "password");
  return out;
}

std::optional<ObjectDescription> describe_target(std::string_view object) {
  if (object == "HostPort") return describe_rows(kHostPort, true);
  if (object == "TlsSettings") return describe_rows(kTls, false);
  if (object == "PostgresqlSettings") return describe_postgres();
  if (object == "Target") return describe_rows(kTarget, true);
  return std::nullopt;
}

}  // namespace wafd::forward
