#include "status_report.h"

#include <cstddef>
#include <utility>

namespace wafd {
namespace {

using Reasons = std::vector<std::pair<std::string, std::uint64_t>>;

// Only what has happened is shown.
void add(Reasons& reasons, const char* name, std::uint64_t count) {
  if (count > 0) reasons.emplace_back(name, count);
}

Reasons t1k_reasons(const ingest::IngestCounters& counters) {
  Reasons reasons;
  for (std::size_t i = 0; i < ingest::t1k::kMalformedReasons; ++i) {
    add(reasons, to_string(static_cast<ingest::t1k::Malformed>(i)), counters.t1k.malformed[i]);
  }
  return reasons;
}

Reasons http_reasons(const ingest::IngestCounters& counters) {
  Reasons reasons;
  const ingest::HttpCounters& http = counters.http;
  add(reasons, "malformed", http.refused);
  add(reasons, "violation", http.violations);
  add(reasons, "bad_check", http.bad_check);
  add(reasons, "bad_key", http.bad_key);
  add(reasons, "not_found", http.not_found);
  add(reasons, "mirror_dropped", http.mirror_dropped);
  add(reasons, "records_refused", http.records_refused);
  return reasons;
}

console::StatusReport::Listener listener_of(const ingest::IngestCounters& counters,
                                            const ingest::Ingest& ingest, ingest::IngestListener which) {
  const ingest::ListenerCounters& own = counters.listeners[static_cast<std::size_t>(which)];
  console::StatusReport::Listener listener;
  listener.name = to_string(which);
  listener.address = ingest.address(which);
  listener.connections = own.open;
  listener.last_request_ms = own.last_request_ms;
  add(listener.refused, "not_allowed", own.not_allowed);
  add(listener.refused, "too_many", own.too_many);
  return listener;
}

void append(Reasons& to, Reasons from) {
  for (auto& reason : from) to.push_back(std::move(reason));
}

}  // namespace

console::StatusReport status_report(const ingest::IngestCounters& counters, const ingest::Ingest& ingest,
                                    const ingest::IngestOptions& options, std::size_t rules) {
  console::StatusReport report;
  const ingest::JudgeCounters& judge = counters.judge;
  report.engine.rules = rules;
  report.engine.requests = judge.requests;
  report.engine.denied = judge.denied;
  report.engine.monitored = judge.monitored;
  report.engine.allowed_recorded = judge.allowed_recorded;
  report.engine.ring_refused = judge.ring_refused;
  report.engine.total_octets = judge.total_octets;
  report.engine.inspected_octets = judge.inspected_octets;
  report.engine.bodies_truncated = judge.bodies_truncated;
  report.engine.bodies_abandoned = judge.bodies_abandoned;
  report.engine.limits_reached = judge.limits_reached;
  report.engine.detect_us = judge.detect_us;
  report.engine.detect_us_p50 = judge.detect_times.quantile(0.5);
  report.engine.detect_us_p99 = judge.detect_times.quantile(0.99);
  report.engine.detect_us_p999 = judge.detect_times.quantile(0.999);
  report.engine.reports = counters.t1k.reports;
  report.engine.reports_unmatched = counters.t1k.reports_unmatched + judge.reports_late;

  // The T1K counters are of both its listeners; what both share is shown at the one that is on, TCP first.
  bool t1k_told = false;
  for (std::size_t i = 0; i < ingest::kIngestListeners; ++i) {
    const auto which = static_cast<ingest::IngestListener>(i);
    console::StatusReport::Listener listener = listener_of(counters, ingest, which);
    if (listener.address.empty()) continue;
    if (which == ingest::IngestListener::kHttp) {
      listener.enforcing = options.http_enforcing;
      listener.requests = counters.http.requests();
      append(listener.refused, http_reasons(counters));
    } else {
      listener.enforcing = options.t1k_enforcing;
      if (!t1k_told) {
        listener.requests = counters.t1k.requests;
        append(listener.refused, t1k_reasons(counters));
        t1k_told = true;
      }
    }
    report.listeners.push_back(std::move(listener));
  }

  const auto note = [&](std::uint64_t count, const char* text) {
    if (count > 0) report.notes.push_back(std::to_string(count) + text);
  };
  note(counters.t1k.plugin_skipped,
       " requests were passed unlooked at by gateways whose circuit breaker was open");
  note(judge.overload_passed, " requests were passed unjudged because they had waited too long");
  note(judge.overload_blocked, " requests were blocked unjudged because they had waited too long");
  note(judge.ring_refused, " events could not be stored in the ring");
  note(judge.reports_late, " response reports came after their event was gone");
  return report;
}

}  // namespace wafd
