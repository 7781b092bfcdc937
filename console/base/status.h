// The state of the whole as the status page, /metrics and scripts see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "forward/target/delivery.h"
#include "telemetry/metrics.h"

namespace wafd::console {

// The status of engine and workers, collected by the composition root.
struct StatusReport {
  struct Engine {
    std::uint64_t rules = 0;
    std::uint64_t requests = 0;
    std::uint64_t denied = 0;
    std::uint64_t monitored = 0;
    std::uint64_t allowed_recorded = 0;
    std::uint64_t ring_refused = 0;
    std::uint64_t total_bytes = 0;
    std::uint64_t inspected_bytes = 0;
    std::uint64_t bodies_truncated = 0;  // requests
    std::uint64_t bodies_abandoned = 0;
    std::uint64_t limits_reached = 0;
    std::uint64_t interrupted = 0;       // of these: for lack of time
    std::uint64_t judged_by_head = 0;    // for lack of time without their bodies
    std::uint64_t overload_passed = 0;   // of these: passed by ingest.on_overload
    std::uint64_t overload_blocked = 0;  // blocked by it
    std::uint64_t plugin_skipped = 0;    // passed by gateways without asking, as they told
    std::uint64_t waiting = 0;           // now, for their turn
    std::uint64_t given_up = 0;          // while they waited: their gateway went, or wafd stopped
    std::uint64_t detect_us = 0;         // sum
    std::uint64_t detect_us_p50 = 0;     // of one request: half take no longer, at most an eighth too high
    std::uint64_t detect_us_p99 = 0;
    std::uint64_t detect_us_p999 = 0;
    std::uint64_t reports = 0;            // response reports of gateways
    std::uint64_t reports_unmatched = 0;  // of them: for no event that is (still) there
    std::uint64_t plugin_unjudged = 0;    // requests that gateways passed because asking failed, as they told
  };
  struct Listener {
    std::string name;  // "t1k", "t1k-unix", "http"
    std::string address;
    bool enforcing = true;
    std::uint64_t connections = 0;  // open now
    std::uint64_t requests = 0;
    std::uint64_t bodies_seen = 0;     // of these: with a body, or a part of one
    std::uint64_t bodies_missing = 0;  // of these: that had one of which the gateway handed over nothing
    std::optional<std::int64_t> last_request_ms;                 // Unix time; none: no request yet
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
  std::string rules_error;         // one of them: the rules that are asked for are not in force
  std::string system_error;        // likewise: what is set for the node is not in force
};

// A key of the configuration file as it is in force.
struct ConfigKey {
  std::string key;
  std::string value;     // as `--set` takes it; secrets are "***"
  std::string fallback;  // what it is where nobody set it
  std::string help;
};

// The status of the console's HTTPS listener.
struct ConsoleStatus {
  std::string address;
  std::uint64_t connections = 0;
  std::uint64_t streams = 0;
  std::string fingerprint_sha256;
  std::vector<std::pair<std::string, std::uint64_t>> refused;
};

// The store of events now.
struct RingStatus {
  std::uint64_t size_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t oldest_seq = 0;
  std::uint64_t end_seq = 0;
  std::optional<std::int64_t> oldest_ms;  // Unix time
  std::optional<std::int64_t> reach_ms;   // none: not known yet
  std::uint64_t refused = 0;
  std::string recovery;
};

// Of one site since midnight (UTC).
struct SiteCounts {
  std::uint64_t requests = 0;
  std::uint64_t denied = 0;
  std::uint64_t monitored = 0;
  std::uint64_t uninspected = 0;
  std::uint64_t bodies_seen = 0;
  std::uint64_t bodies_missing = 0;
};

// Their members as the status API shows them: the rows of status_tables.cc.
boost::json::object to_json(const forward::TargetStatus& status);
boost::json::object to_json(const StatusReport::Engine& status);
boost::json::object to_json(const StatusReport::Listener& status);
boost::json::object to_json(const ConsoleStatus& status);
boost::json::object to_json(const RingStatus& status);
boost::json::object to_json(const SiteCounts& status);

// The metrics of the document that GET /status answers.
std::vector<telemetry::MetricFamily> metric_families(const boost::json::object& status);

}  // namespace wafd::console
