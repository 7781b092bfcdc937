#include "status_report.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

Reasons spop_reasons(const ingest::IngestCounters& counters) {
  Reasons reasons;
  const ingest::spop::Counters& spop = counters.spop;
  for (std::size_t i = 0; i < ingest::spop::kMalformedReasons; ++i)
    add(reasons, to_string(static_cast<ingest::spop::Malformed>(i)), spop.malformed[i]);
  add(reasons, "unknown_frame", spop.unknown_frames);
  add(reasons, "aborted", spop.aborted);
  add(reasons, "no_request", spop.other);
  add(reasons, "peer_error", spop.peer_errors);
  return reasons;
}

Reasons envoy_reasons(const ingest::IngestCounters& counters) {
  Reasons reasons;
  for (std::size_t i = 0; i < ingest::envoy::kMalformedReasons; ++i)
    add(reasons, to_string(static_cast<ingest::envoy::Malformed>(i)), counters.envoy.malformed[i]);
  add(reasons, "cancelled", counters.envoy.cancelled);
  return reasons;
}

console::StatusReport::Listener listener_of(const ingest::IngestCounters& counters,
                                            const ingest::Ingest& ingest, ingest::IngestListener which) {
  const ingest::ListenerCounters& own = counters.listeners[static_cast<std::size_t>(which)];
  console::StatusReport::Listener listener;
  listener.name = to_string(which);
  listener.address = ingest.address(which);
  listener.connections = own.open;
  if (own.last_request_ms != 0) listener.last_request_ms = own.last_request_ms;
  add(listener.refused, "not_allowed", own.not_allowed);
  add(listener.refused, "too_many", own.too_many);
  add(listener.refused, "made_room", own.made_room);
  add(listener.refused, "too_slow", own.too_slow);
  return listener;
}

void tell_bodies(const ingest::BodyCounters& bodies, console::StatusReport::Listener& listener) {
  listener.bodies_seen = bodies.seen;
  listener.bodies_missing = bodies.missing;
}

void append(Reasons& to, Reasons from) {
  for (auto& reason : from) to.push_back(std::move(reason));
}

console::StatusReport::Engine engine_of(const ingest::IngestCounters& counters, std::size_t rules) {
  const ingest::JudgeCounters& judge = counters.judge;
  console::StatusReport::Engine engine;
  engine.rules = rules;
  engine.requests = judge.requests;
  engine.denied = judge.denied;
  engine.monitored = judge.monitored;
  engine.allowed_recorded = judge.allowed_recorded;
  engine.ring_refused = judge.ring_refused;
  engine.total_bytes = judge.total_bytes;
  engine.inspected_bytes = judge.inspected_bytes;
  engine.bodies_truncated = judge.bodies_truncated;
  engine.bodies_abandoned = judge.bodies_abandoned;
  engine.limits_reached = judge.limits_reached;
  engine.interrupted = judge.interrupted;
  engine.judged_by_head = judge.judged_by_head;
  engine.overload_passed = judge.overload_passed;
  engine.overload_blocked = judge.overload_blocked;
  engine.plugin_skipped = counters.t1k.plugin_skipped;
  engine.waiting = counters.waiting;
  engine.given_up = counters.given_up;
  engine.detect_us = judge.detect_us;
  engine.detect_us_p50 = judge.detect_times.quantile(0.5);
  engine.detect_us_p99 = judge.detect_times.quantile(0.99);
  engine.detect_us_p999 = judge.detect_times.quantile(0.999);
  engine.reports = counters.t1k.reports;
  engine.plugin_unjudged = counters.t1k.plugin_unjudged;
  engine.reports_unmatched = counters.t1k.reports_unmatched + judge.reports_late;
  return engine;
}

std::vector<console::StatusReport::Listener> listeners_of(const ingest::IngestCounters& counters,
                                                          const ingest::Ingest& ingest,
                                                          const ingest::IngestOptions& options) {
  std::vector<console::StatusReport::Listener> listeners;
  // The T1K counters are of both its listeners; what both share is shown at the one that is on, TCP first.
  bool t1k_told = false;
  for (std::size_t i = 0; i < ingest::kIngestListeners; ++i) {
    const auto which = static_cast<ingest::IngestListener>(i);
    console::StatusReport::Listener listener = listener_of(counters, ingest, which);
    if (listener.address.empty()) continue;
    if (which == ingest::IngestListener::kHttp) {
      listener.enforcing = options.http_enforcing;
      listener.requests = counters.http.requests();
      tell_bodies(counters.http.bodies, listener);
      append(listener.refused, http_reasons(counters));
    } else if (which == ingest::IngestListener::kSpop) {
      listener.enforcing = options.spop_enforcing;
      listener.requests = counters.spop.requests;
      tell_bodies(counters.spop.bodies, listener);
      append(listener.refused, spop_reasons(counters));
    } else if (which == ingest::IngestListener::kEnvoy) {
      listener.enforcing = options.envoy_enforcing;
      listener.requests = counters.envoy.requests;
      tell_bodies(counters.envoy.bodies, listener);
      append(listener.refused, envoy_reasons(counters));
    } else {
      listener.enforcing = options.t1k_enforcing;
      if (!t1k_told) {
        listener.requests = counters.t1k.requests;
        tell_bodies(counters.t1k.bodies, listener);
        append(listener.refused, t1k_reasons(counters));
        t1k_told = true;
      }
    }
    listeners.push_back(std::move(listener));
  }
  return listeners;
}

std::vector<std::string> notes_of(const ingest::IngestCounters& counters) {
  const ingest::JudgeCounters& judge = counters.judge;
  std::vector<std::string> notes;
  const auto note = [&](std::uint64_t count, const char* text) {
    if (count > 0) notes.push_back(std::to_string(count) + text);
  };
  note(counters.t1k.plugin_skipped,
       " requests were passed unlooked at by gateways whose circuit breaker was open");
  note(counters.t1k.plugin_unjudged,
       " requests were passed unjudged by gateways that had no answer in time or none they could read");
  note(judge.overload_passed,
       " requests were passed judged by their heads alone, because they had waited too long "
       "(ingest.on_overload)");
  note(judge.overload_blocked,
       " requests were blocked judged by their heads alone, because they had waited too long "
       "(ingest.on_overload)");
  note(judge.interrupted, " requests took longer to judge than ingest.budget_ms, and judging was broken off");
  note(judge.ring_refused, " events could not be stored in the ring");
  note(judge.reports_late, " response reports came after their event was gone");
  return notes;
}

}  // namespace

console::StatusReport status_report(const ingest::IngestCounters& counters, const ingest::Ingest& ingest,
                                    const ingest::IngestOptions& options, std::size_t rules) {
  console::StatusReport report;
  report.engine = engine_of(counters, rules);
  report.listeners = listeners_of(counters, ingest, options);
  report.notes = notes_of(counters);
  return report;
}

}  // namespace wafd
