#include "forward/target/target_settings.h"

#include <algorithm>
#include <span>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"
#include "detect/core/plain_text.h"
#include "forward/query/event_query.h"
#include "forward/target/member_reader.h"
#include "forward/target/stored_secrets.h"

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

constexpr Choice<Transport> kTransports[] = {{"udp", Transport::kUdp},
                                             {"tcp", Transport::kTcp},
                                             {"tls", Transport::kTls},
                                             {"relp", Transport::kRelp},
                                             {"kafka", Transport::kKafka}};
constexpr Choice<HeaderFormat> kHeaders[] = {{"rfc5424", HeaderFormat::kRfc5424},
                                             {"rfc3164", HeaderFormat::kRfc3164}};
constexpr Choice<Content> kContents[] = {
    {"json", Content::kJson}, {"cef", Content::kCef}, {"leef", Content::kLeef}, {"ecs", Content::kEcs}};
constexpr Choice<Framing> kFramings[] = {{"octet_counting", Framing::kOctetCounting}, {"lf", Framing::kLf}};
constexpr Choice<RequestDetail> kDetails[] = {
    {"full", RequestDetail::kFull}, {"headers", RequestDetail::kHeaders}, {"none", RequestDetail::kNone}};

template <class E>
std::string_view name_of(std::span<const Choice<E>> choices, E value) {
  for (const auto& c : choices)
    if (c.value == value) return c.name;
  return "";
}

bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 33 && c <= 126; });
}

void check_host(MemberReader& in, std::string& host, const std::string& member) {
  if (in.failed()) return;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (!valid_host(host))
    in.fail_at(member, "a host name, an IPv4 address or an IPv6 address", json::value(host));
}

void read_backups(MemberReader& in, TargetSettings& t) {
  const json::array* list = in.array("backups", kMaxBackups);
  if (!list) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string where = fmt::format("backups[{}]", i);
    const json::object* o = (*list)[i].if_object();
    if (!o) return in.fail_at(where, "an object {\"host\", \"port\"}", (*list)[i]);
    MemberReader sub(*o, where + ".");
    HostPort b;
    b.port = default_port(t.transport);
    sub.text("host", b.host, 1, 255, true);
    check_host(sub, b.host, where + ".host");
    sub.integer("port", b.port, 1, 65535);
    sub.finish();
    if (sub.failed()) return in.adopt(sub);
    t.backups.push_back(std::move(b));
  }
}

void read_severity(MemberReader& in, TargetSettings& t) {
  const json::value* v = in.take("severity");
  if (!v || v->is_null()) return;
  if (const auto* s = v->if_string(); s && *s == "by_risk") {
    t.severity.reset();
    return;
  }
  const auto n = as_integer(*v);
  if (!n || *n < 0 || *n > 7) return in.fail_at("severity", "\"by_risk\" or an integer from 0 to 7", *v);
  t.severity = static_cast<int>(*n);
}

void read_streams(MemberReader& in, TargetSettings& t) {
  const json::array* list = in.array("streams", 3);
  if (!list) return;
  t.streams.clear();
  for (const auto& v : *list) {
    const auto* s = v.if_string();
    if (!s || (*s != "event" && *s != "audit" && *s != "health"))
      return in.fail_at("streams", "a list of \"event\", \"audit\", \"health\"", v);
    std::string name(s->begin(), s->end());
    if (std::find(t.streams.begin(), t.streams.end(), name) == t.streams.end())
      t.streams.push_back(std::move(name));
  }
  if (t.streams.empty())
    in.fail_at("streams", "at least one of \"event\", \"audit\", \"health\"", json::array{});
}

void check_pem(MemberReader& in, std::string_view member, const std::string& text) {
  if (in.failed() || text.empty() || text.starts_with("file:/") || text.starts_with("-----BEGIN ")) return;
  in.fail_with(fmt::format("tls.{}: expected PEM text (-----BEGIN ...) or file:/PATH", member));
}

// Secrets that the client did not send and the target before supplied.
struct Kept {
  bool key = false;
  bool password = false;
};

void read_tls(MemberReader& in, TargetSettings& t, const TargetSettings* previous, Kept& kept) {
  t.tls.enabled = t.transport == Transport::kTls;
  const json::object* o = in.object("tls");
  if (!o) return;
  MemberReader sub(*o, "tls.");
  sub.boolean("enabled", t.tls.enabled);
  sub.boolean("verify", t.tls.verify);
  sub.text("ca", t.tls.ca, 0, kMaxPemBytes, false);
  sub.text("server_name", t.tls.server_name, 0, 253, false);
  sub.text("fingerprint_sha256", t.tls.fingerprint_sha256, 0, 95, false);
  sub.text("min_version", t.tls.min_version, 0, 3, false);
  sub.text("certificate", t.tls.certificate, 0, kMaxPemBytes, false);
  // Who never got to see the key keeps it, as long as there is a certificate that it could belong to.
  if (!sub.text("key", t.tls.key, 0, kMaxPemBytes, false) && previous && !t.tls.certificate.empty()) {
    t.tls.key = previous->tls.key;
    kept.key = !t.tls.key.empty();
  }
  sub.take("key_set");  // told by us, never read back
  sub.finish();
  check_pem(sub, "ca", t.tls.ca);
  check_pem(sub, "certificate", t.tls.certificate);
  check_pem(sub, "key", t.tls.key);
  if (!sub.failed() && t.tls.min_version != "1.2" && t.tls.min_version != "1.3")
    sub.fail_at("min_version", "\"1.2\" or \"1.3\"", json::value(t.tls.min_version));
  if (!sub.failed() && !t.tls.server_name.empty() && !valid_host(t.tls.server_name))
    sub.fail_at("server_name", "a host name or an address", json::value(t.tls.server_name));
  // What librdkafka cannot do is refused, not left undone.
  if (!sub.failed() && t.transport == Transport::kKafka && !t.tls.server_name.empty())
    sub.fail_with("tls.server_name: expected nothing over kafka, every broker is verified by its own name");
  if (!sub.failed() && t.transport == Transport::kKafka && t.tls.min_version != "1.2")
    sub.fail_at("min_version", "\"1.2\" over kafka", json::value(t.tls.min_version));
  if (!sub.failed() && t.transport == Transport::kTls && !t.tls.enabled)
    sub.fail_with("tls.enabled: expected true, transport \"tls\" is always encrypted");
  if (!sub.failed() && (t.transport == Transport::kUdp || t.transport == Transport::kTcp) && t.tls.enabled)
    sub.fail_with(fmt::format("tls.enabled: expected false, transport \"{}\" is never encrypted; \"tls\" is",
                              to_string(t.transport)));
  std::string hex;
  for (char c : t.tls.fingerprint_sha256)
    if (c != ':') hex += to_lower(c);
  const bool all_hex = std::all_of(hex.begin(), hex.end(), [](char c) { return hex_value(c) >= 0; });
  if (!sub.failed() && !hex.empty() && (hex.size() != 64 || !all_hex))
    sub.fail_at("fingerprint_sha256", "64 hex digits (SHA-256), colons allowed",
                json::value(t.tls.fingerprint_sha256));
  t.tls.fingerprint_sha256 = hex;
  if (!sub.failed() && t.tls.certificate.empty() != t.tls.key.empty())
    sub.fail_with("tls.certificate: expected certificate and key together, got only one of them");
  in.adopt(sub);
}

void read_kafka(MemberReader& in, TargetSettings& t, const TargetSettings* previous, Kept& kept) {
  const json::object* o = in.object("kafka");
  const bool wanted = t.transport == Transport::kKafka;
  if (wanted && !in.failed() && (!o || o->empty())) return in.fail_with("kafka.topic: required");
  if (!o || o->empty()) return;
  MemberReader sub(*o, "kafka.");
  std::string topic, compression = "none";
  sub.text("topic", topic, 1, 249, wanted);
  sub.text("compression", compression, 0, 8, false);
  const bool good_topic = std::all_of(topic.begin(), topic.end(),
                                      [](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
  if (!sub.failed() && (!good_topic || topic == "." || topic == ".."))
    sub.fail_at("topic", "letters, digits, '.', '_', '-', and not \".\" or \"..\"", json::value(topic));
  if (!sub.failed() && compression != "none" && compression != "gzip" && compression != "snappy" &&
      compression != "lz4" && compression != "zstd")
    sub.fail_at("compression", "one of \"none\", \"gzip\", \"snappy\", \"lz4\", \"zstd\"",
                json::value(compression));
  json::object sasl;
  if (const json::object* s = sub.object("sasl")) {
    MemberReader inner(*s, "kafka.sasl.");
    std::string mechanism, username, password;
    inner.text("mechanism", mechanism, 1, 32, true);
    inner.text("username", username, 1, 255, true);
    inner.text("password", password, 0, 1024, false);
    inner.take("password_set");
    inner.finish();
    if (!inner.failed() && mechanism != "PLAIN" && mechanism != "SCRAM-SHA-256" &&
        mechanism != "SCRAM-SHA-512")
      inner.fail_at("mechanism", "one of \"PLAIN\", \"SCRAM-SHA-256\", \"SCRAM-SHA-512\"",
                    json::value(mechanism));
    if (inner.failed()) return in.adopt(inner);
    if (password.empty() && previous)
      if (const auto* old = previous->kafka.if_contains("sasl"); old && old->is_object())
        if (const auto* p = old->as_object().if_contains("password"); p && p->is_string()) {
          password.assign(p->as_string().begin(), p->as_string().end());
          kept.password = !password.empty();
        }
    if (password.empty()) return in.fail_with("kafka.sasl.password: required");
    sasl = {{"mechanism", mechanism}, {"username", username}, {"password", password}};
  }
  sub.finish();
  if (sub.failed()) return in.adopt(sub);
  t.kafka = {{"topic", topic}, {"compression", compression}};
  if (!sasl.empty()) t.kafka["sasl"] = sasl;
}

void read_texts(MemberReader& in, TargetSettings& t) {
  in.text("name", t.name, 1, 64, true);
  if (!in.failed() && !is_plain_text(t.name))
    in.fail_at("name", "text without control characters and without such that change its direction",
               json::value(t.name));
  in.text("app_name", t.app_name, 1, 48, false);
  if (!in.failed() && !printable(t.app_name))
    in.fail_at("app_name", "1 to 48 printable ASCII characters without spaces", json::value(t.app_name));
  in.text("hostname", t.hostname, 0, 255, false);
  if (!in.failed() && !printable(t.hostname))
    in.fail_at("hostname", "at most 255 printable ASCII characters without spaces", json::value(t.hostname));
  in.text("source_address", t.source_address, 0, 45, false);
  if (!in.failed() && !t.source_address.empty() && !IpAddress::parse(t.source_address))
    in.fail_at("source_address", "an IPv4 or IPv6 address of this machine", json::value(t.source_address));
  in.text("filter", t.filter, 0, 2000, false);
  if (in.failed()) return;
  if (const auto query = EventQuery::parse(t.filter); !query)
    in.fail_with(fmt::format("filter: at character {}: {}", query.error().offset + 1, query.error().what));
}

// A secret that nobody is shown cannot be sent to whoever a caller names.
void check_kept(MemberReader& in, const TargetSettings& t, const TargetSettings* previous, Kept kept) {
  const bool key = kept.key && uses_key(t), password = kept.password && uses_password(t);
  if (in.failed() || !(key || password)) return;
  const std::string changed = changed_destination(*previous, t);
  if (changed.empty()) return;
  in.fail_with(fmt::format(
      "{}: expected again, because {} is not as it was saved with: a stored secret goes only there",
      password ? "kafka.sasl.password" : "tls.key", changed));
}

// Names are judged when their addresses are known.
void check_source(MemberReader& in, const TargetSettings& t) {
  const auto source = IpAddress::parse(t.source_address);
  if (in.failed() || !source) return;
  const auto judge = [&](const std::string& host, const std::string& member) {
    const auto address = IpAddress::parse(host);
    if (!in.failed() && address && address->is_v4() != source->is_v4())
      in.fail_with(fmt::format("source_address: expected an IPv{} address like {} {}, got {}",
                               address->is_v4() ? 4 : 6, member, address->text(), source->text()));
  };
  judge(t.host, "host");
  for (std::size_t i = 0; i < t.backups.size(); ++i)
    judge(t.backups[i].host, fmt::format("backups[{}].host", i));
}

void check_size(MemberReader& in, TargetSettings& t, bool given) {
  const bool udp = t.transport == Transport::kUdp;
  if (!given) {
    t.max_message_bytes = udp ? 8192 : 65536;
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
        name_of<Content>(kContents, t.content), to_string(t.transport), t.max_message_bytes));
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

bool uses_tls(const TargetSettings& target) noexcept {
  return target.transport == Transport::kTls || target.tls.enabled;
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
  }
  return 514;
}

const char* to_string(Transport transport) noexcept {
  return name_of<Transport>(kTransports, transport).data();  // literals, so terminated
}

Result<TargetSettings> parse_target(const json::object& object, const TargetSettings* previous,
                                    SecretUse use) {
  TargetSettings t;
  Kept kept;
  MemberReader in(object, "");
  in.text("id", t.id, 0, 64, false);
  const bool good_id = t.id.empty() || (t.id.size() >= 8 && std::all_of(t.id.begin(), t.id.end(), [](char c) {
                                          return is_lower(c) || is_digit(c) || c == '-';
                                        }));
  if (!in.failed() && !good_id) in.fail_at("id", "8 to 64 of a-z, 0-9 and '-'", json::value(t.id));
  in.choice<Transport>("transport", t.transport, kTransports, true);
  in.boolean("enabled", t.enabled);
  in.text("host", t.host, 1, 255, true);
  check_host(in, t.host, "host");
  t.port = default_port(t.transport);
  in.integer("port", t.port, 1, 65535);
  read_backups(in, t);
  in.choice<HeaderFormat>("header", t.header, kHeaders);
  in.choice<Content>("content", t.content, kContents);
  in.choice<Framing>("framing", t.framing, kFramings);
  in.integer("facility", t.facility, 0, 23);
  read_severity(in, t);
  read_texts(in, t);
  check_source(in, t);
  read_streams(in, t);
  in.choice<RequestDetail>("request_detail", t.request_detail, kDetails);
  const bool size_given = in.integer("max_message_bytes", t.max_message_bytes, 0, 0xffffffffu);
  check_size(in, t, size_given);
  if (in.integer("time_precision", t.time_precision, 3, 6) && t.time_precision != 3 && t.time_precision != 6)
    in.fail_at("time_precision", "3 or 6", json::value(t.time_precision));
  in.boolean("bom", t.bom);
  in.boolean("sequence_id", t.sequence_id);
  in.integer("rate_limit", t.rate_limit, 0, 1'000'000);
  in.integer("wait_for_report_ms", t.wait_for_report_ms, 0, kMaxReportWaitMs);
  read_tls(in, t, previous, kept);
  read_kafka(in, t, previous, kept);
  if (use == SecretUse::kConnects) check_kept(in, t, previous, kept);
  in.take("status");  // told by us, never read back
  in.finish();
  if (!in.failed() && t.transport == Transport::kTls && t.framing != Framing::kOctetCounting)
    in.fail_with("framing: TLS knows octet_counting alone (RFC 5425 section 4.3)");
  if (in.failed()) return tl::unexpected<Error>(in.error());
  return t;
}

json::object to_json(const TargetSettings& t, bool with_secrets) {
  json::array backups, streams;
  for (const auto& b : t.backups) backups.push_back(json::object{{"host", b.host}, {"port", b.port}});
  for (const auto& s : t.streams) streams.push_back(json::value(s));
  json::object tls;
  if (t.transport == Transport::kRelp || t.transport == Transport::kKafka) tls["enabled"] = t.tls.enabled;
  tls.insert({{"verify", t.tls.verify},
              {"ca", t.tls.ca},
              {"server_name", t.tls.server_name},
              {"fingerprint_sha256", t.tls.fingerprint_sha256},
              {"min_version", t.tls.min_version},
              {"certificate", t.tls.certificate}});
  if (with_secrets)
    tls["key"] = t.tls.key;
  else
    tls["key_set"] = !t.tls.key.empty();
  json::object kafka = t.kafka;
  if (auto* sasl = kafka.if_contains("sasl"); sasl && sasl->is_object() && !with_secrets) {
    const auto* p = sasl->as_object().if_contains("password");
    sasl->as_object()["password_set"] = p && p->is_string() && !p->as_string().empty();
    sasl->as_object().erase("password");
  }
  return {{"id", t.id},
          {"name", t.name},
          {"enabled", t.enabled},
          {"transport", to_string(t.transport)},
          {"host", t.host},
          {"port", t.port},
          {"backups", std::move(backups)},
          {"header", name_of<HeaderFormat>(kHeaders, t.header)},
          {"content", name_of<Content>(kContents, t.content)},
          {"framing", name_of<Framing>(kFramings, t.framing)},
          {"facility", t.facility},
          {"severity", t.severity ? json::value(*t.severity) : json::value("by_risk")},
          {"app_name", t.app_name},
          {"hostname", t.hostname},
          {"filter", t.filter},
          {"streams", std::move(streams)},
          {"request_detail", name_of<RequestDetail>(kDetails, t.request_detail)},
          {"max_message_bytes", t.max_message_bytes},
          {"time_precision", t.time_precision},
          {"bom", t.bom},
          {"sequence_id", t.sequence_id},
          {"rate_limit", t.rate_limit},
          {"wait_for_report_ms", t.wait_for_report_ms},
          {"source_address", t.source_address},
          {"tls", std::move(tls)},
          {"kafka", std::move(kafka)}};
}

}  // namespace wafd::forward
