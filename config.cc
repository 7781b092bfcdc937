#include "config.h"

#include <charconv>
#include <optional>
#include <span>
#include <tuple>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "config_keys.h"
#include "detect/core/bytes.h"
#include "detect/core/ip_address.h"

namespace wafd {
namespace {

constexpr std::size_t kMaxNodeBytes = 253;  // as the longest host name

using Text = std::string Config::*;
using Number = std::int64_t Config::*;
using Flag = bool Config::*;
using List = std::vector<std::string> Config::*;

// A key whose value lives in a sub-structure of Config.
template <class T>
struct Inner {
  ListenerConfig Config::*outer;
  T ListenerConfig::*inner;
  bool operator==(const Inner&) const = default;
};

using Slot =
    std::variant<Text, Number, Flag, List, Inner<std::string>, Inner<bool>, Inner<std::vector<std::string>>>;

struct Key {
  const char* name;  // dotted
  Slot slot;
  const char* fallback;  // as `--set` would take it
  std::int64_t least;    // numbers
  std::int64_t most;
  const char* choices;  // texts: "a|b|c", or empty
  const char* help;
};

const std::vector<Key>& keys() {
  static const std::vector<Key> kKeys{
      {"node", &Config::node, "", 0, 0, "",
       "Name of this node in records and syslog; empty: the machine's host name."},
      {"state_dir", &Config::state_dir, "/var/lib/wafd", 0, 0, "",
       "Folder of ring, cursors, settings, credentials, audit log."},
      {"workers", &Config::workers, "0", 0, 256, "",
       "Threads that read and judge requests; 0: one a processor."},
      {"time_zone", &Config::time_zone, "UTC", 0, 0, "",
       "IANA name; of timestamp_human and of syslog time stamps. The settings may say another (System)."},
      {"stop_timeout_s", &Config::stop_timeout_s, "5", 0, 300, "",
       "Seconds that SIGTERM leaves to finish answers and flush targets."},
      {"log.level", &Config::log_level, "info", 0, 0, "debug|info|warn|error", "What goes to stderr."},
      {"log.format", &Config::log_format, "text", 0, 0, "text|json",
       "Form of these lines: text, or one JSON object a line."},
      {"log.events", &Config::log_events, "none", 0, 0, "none|denied|all",
       "Events that are lines of the log too, with event id and the request id that the gateway gives; of "
       "the request itself nothing."},
      {"log.max_lines_per_s", &Config::log_max_lines_per_s, "100", 0, 100000, "",
       "Lines of events, and other lines but errors, a second; what is left out is counted in the next line "
       "or at the end. 0: no limit."},
      {"ingest.t1k.listen", Inner<std::string>{&Config::t1k, &ListenerConfig::listen}, "127.0.0.1:8700", 0, 0,
       "", "T1K listener, ADDR:PORT; empty: off."},
      {"ingest.t1k.unix_socket", &Config::t1k_unix_socket, "", 0, 0, "",
       "T1K on a Unix socket of this path; empty: off."},
      {"ingest.t1k.unix_socket_mode", &Config::t1k_unix_socket_mode, "0660", 0, 0, "",
       "File mode of that socket, octal."},
      {"ingest.t1k.allow", Inner<std::vector<std::string>>{&Config::t1k, &ListenerConfig::allow}, "", 0, 0,
       "", "CIDR list of who may connect; required when not on loopback."},
      {"ingest.t1k.enforcing", Inner<bool>{&Config::t1k, &ListenerConfig::enforcing}, "true", 0, 0, "",
       "false: answer pass always, record what would have been denied as monitor."},
      {"ingest.t1k.certificate", &Config::t1k_certificate, "", 0, 0, "",
       "PEM file with the chain: the T1K listener speaks TLS alone (not the Unix socket); empty: no TLS. "
       "Read again when it changes."},
      {"ingest.t1k.key", &Config::t1k_key, "", 0, 0, "", "PEM file of its key."},
      {"ingest.t1k.client_ca", &Config::t1k_client_ca, "", 0, 0, "",
       "PEM file: gateways must show a certificate of it; empty: they need none."},
      {"ingest.http.listen", Inner<std::string>{&Config::http, &ListenerConfig::listen}, "127.0.0.1:8701", 0,
       0, "", "HTTP ingest (/check, /mirror, /v1/records, health), ADDR:PORT; empty: off."},
      {"ingest.http.allow", Inner<std::vector<std::string>>{&Config::http, &ListenerConfig::allow}, "", 0, 0,
       "", "CIDR list of who may connect; required when not on loopback."},
      {"ingest.http.enforcing", Inner<bool>{&Config::http, &ListenerConfig::enforcing}, "true", 0, 0, "",
       "false: /check answers pass always."},
      {"ingest.http.check_dialect", &Config::check_dialect, "forwarded", 0, 0, "forwarded|original|crowdsec",
       "Which headers tell the request on exactly /check."},
      {"ingest.http.crowdsec_api_keys", &Config::crowdsec_api_keys, "", 0, 0, "",
       "Keys that X-Crowdsec-Appsec-Api-Key may carry."},
      {"ingest.http.trusted_proxies", &Config::trusted_proxies, "", 0, 0, "",
       "CIDR list of gateways whose address headers are believed. The settings may say others (System)."},
      {"ingest.http.mirror_scheme", &Config::mirror_scheme, "http", 0, 0, "http|https",
       "Scheme in the records of mirrored requests that do not say."},
      {"ingest.spop.listen", Inner<std::string>{&Config::spop, &ListenerConfig::listen}, "", 0, 0, "",
       "SPOP listener for HAProxy (SPOE), ADDR:PORT, such as 127.0.0.1:8702; empty: off."},
      {"ingest.spop.allow", Inner<std::vector<std::string>>{&Config::spop, &ListenerConfig::allow}, "", 0, 0,
       "", "CIDR list of who may connect; required when not on loopback."},
      {"ingest.spop.enforcing", Inner<bool>{&Config::spop, &ListenerConfig::enforcing}, "true", 0, 0, "",
       "false: answer allow always, record what would have been denied as monitor."},
      {"ingest.envoy.listen", Inner<std::string>{&Config::envoy, &ListenerConfig::listen}, "", 0, 0, "",
       "gRPC listener for Envoy's ext_authz (envoy.service.auth.v3), ADDR:PORT, such as 127.0.0.1:8703; "
       "empty: off."},
      {"ingest.envoy.allow", Inner<std::vector<std::string>>{&Config::envoy, &ListenerConfig::allow}, "", 0,
       0, "", "CIDR list of who may connect; required when not on loopback."},
      {"ingest.envoy.enforcing", Inner<bool>{&Config::envoy, &ListenerConfig::enforcing}, "true", 0, 0, "",
       "false: answer OK always, record what would have been denied as monitor."},
      {"ingest.envoy.certificate", &Config::envoy_certificate, "", 0, 0, "",
       "PEM file with the chain: the listener speaks TLS alone; empty: no TLS. Read again when it changes."},
      {"ingest.envoy.key", &Config::envoy_key, "", 0, 0, "", "PEM file of its key."},
      {"ingest.envoy.client_ca", &Config::envoy_client_ca, "", 0, 0, "",
       "PEM file: Envoy must show a certificate of it; empty: it needs none."},
      {"ingest.max_head_bytes", &Config::max_head_bytes, "131072", 1024, 16777216, "",
       "Bytes of a request head that are kept; the rest is flagged."},
      {"ingest.max_body_bytes", &Config::max_body_bytes, "1048576", 0, 268435456, "",
       "Bytes of a body that are judged; the rest is read, left out and flagged."},
      {"ingest.budget_ms", &Config::budget_ms, "800", 1, 60000, "",
       "Age of a request at which its judging ends (the site's on_limit); one that only then has its turn is "
       "judged by its head."},
      {"ingest.on_overload", &Config::on_overload, "pass", 0, 0, "pass|block",
       "What becomes of a request whose body there was no time for and whose head is clean."},
      {"ingest.idle_timeout_s", &Config::idle_timeout_s, "300", 61, 86400, "",
       "Idle gateway connections are closed after this; clients pool them for 60 s and more."},
      {"ingest.max_connections", &Config::max_connections, "16384", 16, 1000000, "",
       "Gateway connections at a time. The listeners that are on share them equally, so that none takes "
       "another's."},
      {"ingest.head_timeout_s", &Config::head_timeout_s, "10", 1, 3600, "",
       "A request whose head has not arrived in that time ends its connection."},
      {"ingest.body_timeout_s", &Config::body_timeout_s, "60", 1, 3600, "",
       "The same of the body behind it; of streamed records, for each line."},
      {"console.listen", &Config::console_listen, "127.0.0.1:8743", 0, 0, "",
       "HTTPS listener of console and API, ADDR:PORT."},
      {"console.hosts", &Config::console_hosts, "", 0, 0, "",
       "Host names under which the console answers, beside addresses and localhost; empty: any. Another name "
       "in a "
       "request's Host is 421."},
      {"console.certificate", &Config::console_certificate, "", 0, 0, "",
       "PEM file; empty: self-signed, made at first start."},
      {"console.key", &Config::console_key, "", 0, 0, "", "PEM file of its key."},
      {"ring.size_mib", &Config::ring_size_mib, "1024", 1, 1048576, "",
       "Size of the event store, preallocated."},
      {"ring.sync_interval_ms", &Config::ring_sync_interval_ms, "1000", 0, 3600000, "",
       "How much a power loss may cost; 0: left to the kernel. A crash of wafd costs nothing."},
      {"syslog.on_lost_cursor", &Config::on_lost_cursor, "oldest", 0, 0, "oldest|gap",
       "Where a target goes on whose place in the ring was lost by damage: at the oldest event (some may "
       "arrive "
       "twice), or at the newest, behind a waf_gap message."},
      {"settings.source", &Config::settings_source, "console", 0, 0, "console|file|fleet",
       "Where sites, exceptions, lists and targets come from. file: they are read from settings.file, which "
       "is watched, and the console shows them read-only. fleet: all nodes share those in fleet.database, "
       "and "
       "any console changes them for all."},
      {"settings.file", &Config::settings_file, "/etc/wafd/settings.json", 0, 0, "",
       "That file, as `wafd settings export` writes it."},
      {"fleet.database", &Config::fleet_database, "", 0, 0, "",
       "Address (URI of libpq) of the PostgreSQL to which all nodes write their events: the console "
       "shows the events of all of them. Without ?sslmode the certificate is verified; require encrypts "
       "only; disable does not encrypt. Empty: this node's own events."},
      {"fleet.password_file", &Config::fleet_password_file, "", 0, 0, "",
       "File with the password of that user; empty: none."},
      {"fleet.ca", &Config::fleet_ca, "", 0, 0, "",
       "PEM file of who signed the database's certificate; empty: the system's."},
      {"fleet.key_file", &Config::fleet_key_file, "", 0, 0, "",
       "File with the key (`wafd fleet key`) that encrypts what the database of a fleet must not know: "
       "secrets of targets in its settings, accounts of its consoles. The same on all nodes; empty: none."},
      {"fleet.accounts", &Config::fleet_accounts, "files", 0, 0, "files|database",
       "Where users, sessions and API tokens of the console are. database: in fleet.database, for all "
       "consoles that say so, encrypted with fleet.key_file, and the audit logs beside them. While that does "
       "not answer, admins of the files are let in."},
      {"otlp.endpoint", &Config::otlp_endpoint, "", 0, 0, "",
       "Receiver of OpenTelemetry (OTLP over HTTP, JSON), such as https://collector.example:4318; "
       "/v1/metrics and /v1/logs are put behind it. Empty: nothing is sent."},
      {"otlp.headers_file", &Config::otlp_headers_file, "", 0, 0, "",
       "File with headers of these requests, such as \"Authorization: Bearer TOKEN\", one a line; read for "
       "each request. Empty: none."},
      {"otlp.ca", &Config::otlp_ca, "", 0, 0, "",
       "PEM file of who signed the receiver's certificate; empty: the system's."},
      {"otlp.interval_s", &Config::otlp_interval_s, "60", 1, 3600, "",
       "Seconds between two sendings of the metrics. Lines of the log are sent within a second."},
      {"otlp.metrics", &Config::otlp_metrics, "true", 0, 0, "",
       "Whether metrics are sent: those of /metrics."},
      {"otlp.logs", &Config::otlp_logs, "true", 0, 0, "",
       "Whether the log is sent: the lines that go to stderr (log.level, log.events)."},
      {"otlp.compression", &Config::otlp_compression, "gzip", 0, 0, "gzip|none", "Of the requests' bodies."},
      {"rules.files", &Config::rule_files, "", 0, 0, "",
       "Signature rule files of your own, read after the built-in ones."},
      {"geoip.database", &Config::geoip_database, "", 0, 0, "",
       "MaxMind DB file (City or Country) for country, province, city; empty: none. The settings may say "
       "another (System)."},
      {"geoip.asn_database", &Config::asn_database, "", 0, 0, "",
       "MaxMind DB file (ASN) for the networks of sources on their pages of the console; empty: none."},
  };
  return kKeys;
}

const Key* find_key(std::string_view name) {
  for (const Key& key : keys()) {
    if (name == key.name) return &key;
  }
  return nullptr;
}

bool is_flag(const Key& key) {
  return std::holds_alternative<Flag>(key.slot) || std::holds_alternative<Inner<bool>>(key.slot);
}

const char* expected_of(const Key& key) {
  if (std::holds_alternative<Number>(key.slot)) return "an integer";
  if (is_flag(key)) return "true or false";
  if (std::holds_alternative<List>(key.slot) ||
      std::holds_alternative<Inner<std::vector<std::string>>>(key.slot)) {
    return "a list of strings";
  }
  return "a string";
}

Result<void> mismatch(const Key& key) { return fail(ErrorCode::kInvalid, config_key_expects(key.name)); }

Result<void> check_text(const Key& key, const std::string& text) {
  const std::string_view choices = key.choices;
  if (choices.empty()) return {};
  std::size_t begin = 0;
  while (begin <= choices.size()) {
    const std::size_t end = std::min(choices.find('|', begin), choices.size());
    if (choices.substr(begin, end - begin) == text) return {};
    begin = end + 1;
  }
  return fail(ErrorCode::kInvalid, fmt::format("{}: expected one of {}", key.name, choices));
}

Result<void> store(const Key& key, const ConfigValue& value, Config& config) {
  if (const auto* slot = std::get_if<Text>(&key.slot)) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return mismatch(key);
    if (auto ok = check_text(key, *text); !ok) return ok;
    config.** slot = *text;
  } else if (const auto* number_slot = std::get_if<Number>(&key.slot)) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) return mismatch(key);
    if (*number < key.least || *number > key.most) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("{}: expected {} to {}, got {}", key.name, key.least, key.most, *number));
    }
    config.** number_slot = *number;
  } else if (const auto* flag_slot = std::get_if<Flag>(&key.slot)) {
    const auto* flag = std::get_if<bool>(&value);
    if (flag == nullptr) return mismatch(key);
    config.** flag_slot = *flag;
  } else if (const auto* list_slot = std::get_if<List>(&key.slot)) {
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (list == nullptr) return mismatch(key);
    config.** list_slot = *list;
  } else if (const auto* inner_text = std::get_if<Inner<std::string>>(&key.slot)) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return mismatch(key);
    config.*(inner_text->outer).*(inner_text->inner) = *text;
  } else if (const auto* inner_bool = std::get_if<Inner<bool>>(&key.slot)) {
    const auto* flag = std::get_if<bool>(&value);
    if (flag == nullptr) return mismatch(key);
    config.*(inner_bool->outer).*(inner_bool->inner) = *flag;
  } else if (const auto* inner_list = std::get_if<Inner<std::vector<std::string>>>(&key.slot)) {
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    if (list == nullptr) return mismatch(key);
    config.*(inner_list->outer).*(inner_list->inner) = *list;
  }
  return {};
}

// The value as text, as value_of() reads it.
std::string text_of(const Key& key, const Config& config) {
  if (const auto* slot = std::get_if<Text>(&key.slot)) return config.**slot;
  if (const auto* slot = std::get_if<Number>(&key.slot)) return fmt::format("{}", config.**slot);
  if (const auto* slot = std::get_if<Flag>(&key.slot)) return config.**slot ? "true" : "false";
  if (const auto* slot = std::get_if<List>(&key.slot))
    return fmt::format("{}", fmt::join(config.**slot, ","));
  if (const auto* slot = std::get_if<Inner<std::string>>(&key.slot))
    return config.*(slot->outer).*(slot->inner);
  if (const auto* slot = std::get_if<Inner<bool>>(&key.slot))
    return config.*(slot->outer).*(slot->inner) ? "true" : "false";
  const auto& slot = std::get<Inner<std::vector<std::string>>>(key.slot);
  return fmt::format("{}", fmt::join(config.*(slot.outer).*(slot.inner), ","));
}

// The text of a command line or a default, read as the key's type.
std::optional<ConfigValue> value_of(const Key& key, std::string_view text) {
  if (std::holds_alternative<Number>(key.slot)) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return ConfigValue(number);
  }
  if (is_flag(key)) {
    if (text != "true" && text != "false") return std::nullopt;
    return ConfigValue(text == "true");
  }
  if (std::holds_alternative<Text>(key.slot) || std::holds_alternative<Inner<std::string>>(key.slot)) {
    return ConfigValue(std::string(text));
  }
  std::vector<std::string> list;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (const auto item = trim(text.substr(0, comma)); !item.empty()) list.emplace_back(item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ConfigValue(std::move(list));
}

bool on_loopback(const std::string& listen) {
  return listen.rfind("127.", 0) == 0 || listen.rfind("[::1]", 0) == 0;
}

Result<void> check_listener(const char* key, const ListenerConfig& listener) {
  if (!listener.listen.empty() && !on_loopback(listener.listen) && listener.allow.empty()) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format(
            "{0}.listen is {1}, which is not loopback: expected {0}.allow, a list of CIDR that may connect",
            key, listener.listen));
  }
  for (const std::string& cidr : listener.allow) {
    if (!Cidr::parse(cidr)) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("{}.allow: expected CIDR such as 10.0.0.0/8, got \"{}\"", key, cidr));
    }
  }
  return {};
}

}  // namespace

bool is_config_key(std::string_view name) noexcept { return find_key(name) != nullptr; }

bool is_config_group(std::string_view name) noexcept {
  for (const Key& key : keys()) {
    const std::string_view whole = key.name;
    if (whole.size() > name.size() && whole.starts_with(name) && whole[name.size()] == '.') return true;
  }
  return false;
}

std::string config_key_expects(std::string_view key) {
  return fmt::format("{}: expected {}", key, expected_of(*find_key(key)));
}

Result<void> store_config(std::string_view key, const ConfigValue& value, Config& config) {
  return store(*find_key(key), value, config);
}

std::string node_name(const Config& config) {
  if (!config.node.empty()) return config.node;
  char name[256] = {};
  if (gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "wafd";
  return name;
}

Config default_config() {
  Config config;
  for (const Key& key : keys()) {
    const auto value = value_of(key, key.fallback);
    if (value) (void)store(key, *value, config);
  }
  return config;
}

Result<void> set_config(std::string_view assignment, Config& config) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return fail(ErrorCode::kInvalid, fmt::format("--set {}: expected KEY=VALUE", assignment));
  }
  const Key* key = find_key(assignment.substr(0, equals));
  if (key == nullptr) {
    return fail(ErrorCode::kUnknown, fmt::format("--set {}: no such key; `wafd config defaults` lists them",
                                                 assignment.substr(0, equals)));
  }
  const auto value = value_of(*key, assignment.substr(equals + 1));
  if (!value)
    return fail(ErrorCode::kInvalid, fmt::format("--set {}: expected {}", key->name, expected_of(*key)));
  if (auto stored = store(*key, *value, config); !stored) {
    return fail(ErrorCode::kInvalid, "--set " + stored.error().what);
  }
  return {};
}

Result<void> check_config(const Config& config) {
  const bool plain = std::none_of(config.node.begin(), config.node.end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (config.node.size() > kMaxNodeBytes || !plain) {
    return fail(ErrorCode::kInvalid,
                fmt::format("node: expected at most {} bytes without control characters, got {} bytes",
                            kMaxNodeBytes, config.node.size()));
  }
  if (auto ok = check_listener("ingest.t1k", config.t1k); !ok) return ok;
  if (auto ok = check_listener("ingest.http", config.http); !ok) return ok;
  if (auto ok = check_listener("ingest.spop", config.spop); !ok) return ok;
  if (auto ok = check_listener("ingest.envoy", config.envoy); !ok) return ok;
  for (const std::string& cidr : config.trusted_proxies) {
    if (!Cidr::parse(cidr)) {
      return fail(
          ErrorCode::kInvalid,
          fmt::format("ingest.http.trusted_proxies: expected CIDR such as 10.0.0.0/8, got \"{}\"", cidr));
    }
  }
  if (config.console_certificate.empty() != config.console_key.empty()) {
    return fail(ErrorCode::kInvalid, "console.certificate and console.key: expected both or neither");
  }
  for (const auto& [listener, certificate, key, client_ca] :
       {std::tuple("ingest.t1k", &config.t1k_certificate, &config.t1k_key, &config.t1k_client_ca),
        std::tuple("ingest.envoy", &config.envoy_certificate, &config.envoy_key, &config.envoy_client_ca)}) {
    if (certificate->empty() != key->empty()) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("{0}.certificate and {0}.key: expected both or neither", listener));
    }
    if (!client_ca->empty() && certificate->empty()) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("{0}.client_ca: expected {0}.certificate beside it", listener));
    }
  }
  const std::string& mode = config.t1k_unix_socket_mode;
  if (mode.empty() || mode.size() > 4 || mode.find_first_not_of("01234567") != std::string::npos) {
    return fail(ErrorCode::kInvalid,
                "ingest.t1k.unix_socket_mode: expected up to four octal digits such as 0660");
  }
  if (config.settings_source == "fleet" && config.fleet_database.empty())
    return fail(ErrorCode::kInvalid, "settings.source: fleet: expected fleet.database beside it");
  if (config.check_dialect == "crowdsec" && config.crowdsec_api_keys.empty()) {
    return fail(ErrorCode::kInvalid,
                "ingest.http.crowdsec_api_keys: expected at least one key when check_dialect is crowdsec");
  }
  return {};
}

namespace {

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string default_text(const Key& key) {
  if (std::holds_alternative<Number>(key.slot) || is_flag(key)) return key.fallback;
  if (std::holds_alternative<List>(key.slot) ||
      std::holds_alternative<Inner<std::vector<std::string>>>(key.slot)) {
    return "[]";
  }
  return quoted(key.fallback);
}

// Writes the keys of one group; groups nest by the dots of the names, which the table keeps together.
void describe(std::span<const Key> group, std::size_t prefix, int depth, std::string& out) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  for (std::size_t i = 0; i < group.size();) {
    const std::string_view rest = std::string_view(group[i].name).substr(prefix);
    const std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos) {
      std::string range;
      if (std::holds_alternative<Number>(group[i].slot))
        range = fmt::format(" ({} to {})", group[i].least, group[i].most);
      if (group[i].choices[0] != '\0') range = fmt::format(" ({})", group[i].choices);
      out += fmt::format("{}// {}{}\n{}\"{}\": {}{}\n", indent, group[i].help, range, indent, rest,
                         default_text(group[i]), i + 1 < group.size() ? "," : "");
      ++i;
      continue;
    }
    const std::string_view name = rest.substr(0, dot + 1);
    std::size_t end = i;
    while (end < group.size() && std::string_view(group[end].name).substr(prefix, name.size()) == name) ++end;
    out += fmt::format("{}\"{}\": {{\n", indent, rest.substr(0, dot));
    describe(group.subspan(i, end - i), prefix + name.size(), depth + 1, out);
    out += fmt::format("{}}}{}\n", indent, end < group.size() ? "," : "");
    i = end;
  }
}

}  // namespace

std::vector<ConfigLine> describe_config(const Config& config) {
  std::vector<ConfigLine> out;
  for (const Key& key : keys()) {
    std::string value = text_of(key, config);
    if (key.slot == Slot(&Config::crowdsec_api_keys) && !value.empty()) value = "***";
    out.push_back({key.name, std::move(value), key.fallback, key.help});
  }
  return out;
}

std::string describe_defaults() {
  std::string out = "{\n";
  describe(keys(), 0, 1, out);
  out += "}\n";
  return out;
}

}  // namespace wafd
