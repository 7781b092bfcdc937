// From a request to an answer: engine, policy, event, sink, in this order. Every protocol's way into the
// engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "detect/core/clock.h"
#include "detect/core/event_record.h"
#include "detect/core/request.h"
#include "detect/core/time_histogram.h"
#include "detect/engine.h"
#include "detect/event_maker.h"
#include "detect/policy/policy.h"
#include "detect/policy/usage_counters.h"

namespace wafd::ingest {

// The answer that a protocol passes to its gateway.
struct Answer {
  Action action = Action::kAllow;  // kDeny: block. kMonitor and kAllow: pass
  bool recorded = false;           // `event_id` is in the ring (or was refused by it and counted)
  EventId event_id;                // set if recorded or denied
  std::int64_t detect_us = 0;
  std::int64_t block_status = 403;  // of the site, for blocked requests
  std::string block_body;           // empty: block_json()
};

// The engine with a scratch of this worker's own. Built on the compiling thread, posted to the worker's loop.
struct EngineSnapshot {
  std::shared_ptr<const detect::Engine> engine;
  std::unique_ptr<detect::Scratch> scratch;
};

// How long one request may be judged.
struct TimeLimit {
  std::int64_t deadline_us = 0;  // monotonic: what is not judged by then is the site's `on_limit`; 0: none
  bool late = false;             // it is too late for a body: the head is judged alone (ingest.budget_ms)
  bool block_late = false;       // what becomes of a request whose head is clean (ingest.on_overload)
};

// Filled by the worker that owns the RequestJudge, read by others after a post to its loop.
struct JudgeCounters {
  std::uint64_t requests = 0;
  std::uint64_t denied = 0;
  std::uint64_t monitored = 0;
  std::uint64_t allowed_recorded = 0;
  std::uint64_t ring_refused = 0;  // events the ring could not take
  std::uint64_t total_bytes = 0;
  std::uint64_t inspected_bytes = 0;
  std::uint64_t bodies_truncated = 0;  // requests of whose body a part was not looked at
  std::uint64_t bodies_abandoned = 0;  // whose body was not looked at
  std::uint64_t limits_reached = 0;  // in which some other limit (fields, depth, variants) left something out
  std::uint64_t detect_us = 0;       // sum
  TimeHistogram detect_times;
  std::uint64_t violations = 0;       // requests whose framing was refused; among `requests`
  std::uint64_t judged_by_head = 0;   // for lack of time without their bodies; among `requests`
  std::uint64_t overload_passed = 0;  // of them: whose head was clean, by ingest.on_overload
  std::uint64_t overload_blocked = 0;
  std::uint64_t interrupted = 0;   // whose judging was broken off at its deadline
  std::uint64_t reports = 0;       // response reports that named an event
  std::uint64_t reports_late = 0;  // whose event had gone
};

// One per worker, used on its loop's thread alone. The references must outlive it.
class RequestJudge {
 public:
  struct Parts {
    const Clock& clock;
    Random& random;
    EventSink& sink;
    std::string node;
    std::function<std::string(std::int64_t unix_s)> time_text;         // "YYYY-MM-DD HH:MM:SS"
    std::function<detect::SourcePlace(std::string_view ip)> place_of;  // may be empty
    // Of each event, with the gateway's own id of the request (unchecked); may be empty. Must not block.
    std::function<void(const EventRecord& event, std::string_view request_id)> told = {};
  };
  RequestJudge(Parts parts, EngineSnapshot engine, std::shared_ptr<const detect::Policy> policy);

  Answer judge(const Request& request, Enforcement enforcement, const TimeLimit& limit = {});
  // A request whose framing was refused: judged as far as it was read, with `why` (one sentence, none of its
  // bytes) as a finding of type http_violation; so the site's policy for that type answers.
  Answer violation(const Request& request, Enforcement enforcement, std::string why,
                   const TimeLimit& limit = {});
  // The gateway's own id of the request that is judged next; it must be there until then. Not said: it has
  // none.
  void named(std::string_view request_id) noexcept { request_id_ = request_id; }
  // The cost of judging the last request, in units of detect/core/cost_budget.h.
  std::uint64_t work_units() const noexcept { return engine_.scratch->work_units(); }
  // Amends the event, if there is one. Stamped here; a response whose end was not told ended when its report
  // came. Times beyond the year 9999 count as not told.
  void report(ResponseReport report);

  // The old snapshots are returned, to be freed off the worker.
  EngineSnapshot swap(EngineSnapshot engine);
  std::shared_ptr<const detect::Policy> swap(std::shared_ptr<const detect::Policy> policy);

  const JudgeCounters& counters() const noexcept { return counters_; }
  // The counts since the last call, for the caller to add up.
  detect::UsageCounters take_hits() { return std::exchange(hits_, {}); }

 private:
  void inspect(const Request& request, const TimeLimit& limit);
  Answer decide(const Request& request, Enforcement enforcement, const TimeLimit& limit,
                std::int64_t begin_us);
  // Of a request of which the head alone was judged: unless that denies, it is passed, or blocked with an id
  // that says that there is no event (EventId::is_unjudged).
  void overloaded(const TimeLimit& limit, Enforcement enforcement, detect::Decision& decision);

  Parts parts_;
  EngineSnapshot engine_;
  std::shared_ptr<const detect::Policy> policy_;
  Verdict verdict_;
  std::string_view request_id_;
  JudgeCounters counters_;
  detect::UsageCounters hits_;
};

// The rule behind violation(); it is in no rule file.
const Rule& framing_rule();

// The block answer to a client: {"code":403,"success":false,"message":"…","event_id":"…"}, no line end.
std::string block_json(const EventId& id, std::int64_t status = 403);

// The same as the site wants it: {event_id} in its own body stands for the id; the type follows from the
// first byte.
struct BlockPage {
  std::string type;
  std::string body;
};
BlockPage block_page(const Answer& answer);

}  // namespace wafd::ingest
