// The state of the whole as the status page, /metrics and scripts see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "forward/delivery.h"

namespace wafd::console {

// What the composition root knows of the workers.
struct StatusReport {
  struct Engine {
    std::uint64_t rules = 0;
    std::uint64_t requests = 0;
    std::uint64_t denied = 0;
    std::uint64_t monitored = 0;
    std::uint64_t allowed_recorded = 0;
    std::uint64_t ring_refused = 0;
    std::uint64_t total_octets = 0;
    std::uint64_t inspected_octets = 0;
    std::uint64_t bodies_truncated = 0;  // requests
    std::uint64_t bodies_abandoned = 0;
    std::uint64_t limits_reached = 0;
    std::uint64_t detect_us = 0;      // sum
    std::uint64_t detect_us_p50 = 0;  // of one request: half take no longer, at most an eighth too high
    std::uint64_t detect_us_p99 = 0;
    std::uint64_t detect_us_p999 = 0;
    std::uint64_t reports = 0;            // response reports of gateways
    std::uint64_t reports_unmatched = 0;  // of them: for no event that is (still) there
  };
  struct Listener {
    std::string name;  // "t1k", "t1k-unix", "http"
    std::string address;
    bool enforcing = true;
    std::uint64_t connections = 0;  // open now
    std::uint64_t requests = 0;
    std::int64_t last_request_ms = 0;                            // Unix time; 0: none yet
    std::vector<std::pair<std::string, std::uint64_t>> refused;  // by reason
  };
  // The database of source locations.
  struct Places {
    std::string database;  // empty: none
    std::string type;      // as it calls itself
    std::int64_t built_s = 0;
    std::string error;  // why a newer file is not in use
  };
  Engine engine;
  std::vector<Listener> listeners;
  Places places;
  std::vector<std::string> notes;  // one line each, for people
};

// A key of the configuration file as it is in force.
struct ConfigKey {
  std::string key;
  std::string value;     // as `--set` takes it; secrets are "***"
  std::string fallback;  // what it is where nobody set it
  std::string help;
};

// What the HTTPS listener knows of itself.
struct ConsoleStatus {
  std::string address;
  std::uint64_t connections = 0;
  std::uint64_t streams = 0;
  std::string fingerprint_sha256;
  std::vector<std::pair<std::string, std::uint64_t>> refused;
};

// Members of the API's target status object.
boost::json::object to_json(const forward::TargetStatus& status);
boost::json::object to_json(const StatusReport::Engine& engine);
boost::json::object to_json(const StatusReport::Listener& listener);
boost::json::object to_json(const ConsoleStatus& console);

// A label's value: backslash, quote and line end escaped (Prometheus text format).
std::string prometheus_label(std::string_view text);
// Prometheus text exposition of the document that GET /status answers.
std::string to_prometheus(const boost::json::object& status);

}  // namespace wafd::console
