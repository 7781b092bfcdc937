// The interface of the delivery loop for others. The implementation lives in forward/io; the console sees
// this alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forward/target/target_settings.h"

namespace wafd::forward {

struct TargetStatus {
  std::string id;
  std::string state;         // "disabled" | "resolving" | "connecting" | "up" | "waiting" (before a retry)
  std::string connected_to;  // address and port, empty if none
  std::uint64_t cursor = 0;  // next sequence to be settled
  std::uint64_t lag_events = 0;
  std::int64_t lag_ms = 0;  // age of the oldest unsent event
  // Written to the present connection (TCP, TLS, RELP, Kafka), and not acknowledged: a receiver that reads
  // slowly or not at all shows here, while its connection stands and nothing lags.
  std::uint64_t unacknowledged = 0;
  std::int64_t unacknowledged_ms = 0;  // how long the oldest has waited
  std::uint64_t sent = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t resent = 0;
  std::uint64_t truncated = 0;  // cut to max_message_bytes
  std::uint64_t filtered = 0;
  std::uint64_t rejected = 0;  // poison messages
  std::uint64_t lost = 0;      // overtaken by the ring before they were sent
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lost_ranges;  // newest 16, inclusive
  std::uint64_t lines_lost = 0;                                      // audit lines beyond those that may wait
  std::uint64_t bytes = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t errors = 0;
  std::string last_error;
  std::int64_t last_error_ms = 0;  // Unix time
  std::int64_t last_sent_ms = 0;
};

enum class TestKind : std::uint8_t { kConnectivity, kSample };

struct TestStage {
  std::string name;  // resolve | connect | tls | write | after
  bool ok = false;
  double ms = 0;
  boost::json::object detail;
  std::string error;  // empty: none
};

struct TestResult {
  std::string verdict;   // acknowledged | accepted | sent | closed | failed
  std::string text;      // one sentence of honest strength for people
  std::string message;   // bytes sent, escaped (\xnn, \n ...)
  std::string event_id;  // of the sample event, else empty
  std::vector<TestStage> stages;
};

// Safe to call from any thread; callbacks run on the delivery loop and must only post elsewhere.
class Delivery {
 public:
  virtual ~Delivery() = default;
  // The whole list: new targets start at the present end of the ring, edited ones keep their cursor, missing
  // ones are flushed no more and forgotten.
  virtual void apply(std::vector<TargetSettings> targets) = 0;
  virtual void status(std::function<void(std::vector<TargetStatus>)> done) = 0;
  // At most 8 s; the same formatter, framing and edges as delivery. Answers also on failure.
  virtual void test(TargetSettings target, TestKind kind, std::function<void(TestResult)> done) = 0;
  // One line of the audit stream: sent to targets whose `streams` has "audit" (MSGID waf_audit).
  virtual void audit(std::string json) = 0;
  // Checks of a target, before it is saved, that read files: its certificates and keys.
  // The error names the member. Reads files; nothing is connected to.
  virtual Result<void> check(const TargetSettings& target) const = 0;
};

}  // namespace wafd::forward
