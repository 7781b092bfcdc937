// The daemon's configuration: listeners, folders, limits. Settings made by people on the console are
// elsewhere (state_dir/settings.json). One table (config.cc) gives every key its type, default, range and
// help.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"

namespace wafd {

// Read where no other is named, if it is there.
inline constexpr const char* kDefaultConfigFile = "/etc/wafd/wafd.json";

struct ListenerConfig {
  std::string listen;              // ADDR:PORT, empty: off
  std::vector<std::string> allow;  // CIDR; required when not on loopback
  bool enforcing = true;
};

struct Config {
  std::string node;  // empty: the machine's host name
  std::string state_dir;
  std::int64_t workers = 0;  // 0: one a processor
  std::string time_zone;
  std::int64_t stop_timeout_s = 0;
  std::string log_level;
  std::string log_format;                // "text", "json"
  std::string log_events;                // "none", "denied", "all"
  std::int64_t log_max_lines_per_s = 0;  // 0: no limit

  ListenerConfig t1k;
  std::string t1k_unix_socket;
  std::string t1k_unix_socket_mode;  // octal digits
  std::string t1k_certificate;       // PEM file, empty: no TLS
  std::string t1k_key;               // PEM file
  std::string t1k_client_ca;         // PEM file, empty: clients need no certificate
  ListenerConfig http;
  ListenerConfig spop;
  ListenerConfig envoy;
  std::string envoy_certificate;  // as of T1K
  std::string envoy_key;
  std::string envoy_client_ca;
  std::string check_dialect;
  std::vector<std::string> crowdsec_api_keys;
  std::vector<std::string> trusted_proxies;
  std::string mirror_scheme;
  std::int64_t max_head_bytes = 0;
  std::int64_t max_body_bytes = 0;
  std::int64_t budget_ms = 0;
  std::string on_overload;
  std::int64_t idle_timeout_s = 0;
  std::int64_t max_connections = 0;
  std::int64_t head_timeout_s = 0;
  std::int64_t body_timeout_s = 0;

  std::string console_listen;
  std::vector<std::string> console_hosts;
  std::string console_certificate;  // PEM file, empty: self-signed, made at first start
  std::string console_key;

  std::int64_t ring_size_mib = 0;
  std::int64_t ring_sync_interval_ms = 0;
  std::string on_lost_cursor;  // oldest | gap

  std::string settings_source;  // console | file | fleet
  std::string settings_file;

  std::string fleet_database;  // URL without a password, empty: none
  std::string fleet_password_file;
  std::string fleet_ca;        // PEM file, empty: the system's
  std::string fleet_key_file;  // of what the database must not know, empty: none
  std::string fleet_accounts;  // files | database

  std::string otlp_endpoint;      // URL, empty: nothing is sent
  std::string otlp_headers_file;  // empty: none
  std::string otlp_ca;            // PEM file, empty: the system's
  std::int64_t otlp_interval_s = 0;
  bool otlp_metrics = true;
  bool otlp_logs = true;
  std::string otlp_compression;  // gzip | none

  std::vector<std::string> rule_files;
  std::string geoip_database;
  std::string asn_database;
};

// Every key at its default.
Config default_config();

// `node`, or the host's name.
std::string node_name(const Config& config);

// Reads JSON with comments. `file` is for error texts alone. An error names file, line, key and what was
// expected.
Result<void> read_config(std::string_view text, std::string_view file, Config& config);

// One `--set KEY=VALUE`; lists are comma-separated.
Result<void> set_config(std::string_view assignment, Config& config);

// Checks that involve several keys: an address not on loopback needs an allow list, a certificate needs its
// key.
Result<void> check_config(const Config& config);

// One key as it is in force.
struct ConfigLine {
  std::string key;
  std::string value;  // as `--set` takes it; of secrets "***" if there are any
  std::string fallback;
  std::string help;
};
std::vector<ConfigLine> describe_config(const Config& config);

// The whole file with defaults and help as comments; read_config takes it back.
std::string describe_defaults();

}  // namespace wafd
