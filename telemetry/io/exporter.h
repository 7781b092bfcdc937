// Sends metrics and logs by OTLP over HTTP: a thread of its own, which nobody waits for. Metrics are sent as
// they are at that moment; those that could not be sent when the next are due are dropped. Of the log at most
// LogQueue's bounds wait.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "detect/core/clock.h"
#include "detect/core/ip_address.h"
#include "telemetry/metrics.h"
#include "telemetry/otlp/log_queue.h"
#include "telemetry/otlp/messages.h"
#include "telemetry/otlp/settings.h"

namespace wafd::telemetry {

using Families = std::vector<MetricFamily>;

struct ExporterParts {
  const Clock& clock;
  Random& random;
  OtlpSettings settings;
  OtlpSender sender;
  std::shared_ptr<LogQueue> logs;  // null: none are sent
  // Calls back on any thread, or never.
  std::function<void(std::function<void(Families)>)> collect;
  std::vector<Endpoint> own_listeners = {};  // may not be connected to
  std::function<std::vector<IpAddress>()> local_addresses = {};
  std::function<void(const std::string&)> log = {};     // a line for the operator: something is wrong
  std::function<void(const std::string&)> inform = {};  // likewise: all is well again
};

class Exporter {
 public:
  // At the end what waits is tried once more, for no longer than this, and a request that is going on for a
  // second more.
  static constexpr std::int64_t kLastMs = 3'000;
  static constexpr std::int64_t kCollectMs = 5'000;
  static constexpr std::size_t kMaxRecordsOfARequest = 512;

  static std::unique_ptr<Exporter> create(ExporterParts parts);
  virtual ~Exporter() = default;  // stops

  virtual void start() = 0;
  // The last metrics, while there is somebody to ask for them; before stop().
  virtual void collect_last() = 0;
  virtual void stop() = 0;
  // One line for each signal that cannot be sent now; any thread.
  virtual std::vector<std::string> notes() const = 0;
  // What was sent and dropped; any thread.
  virtual Families families() const = 0;
};

// The families of an exporter that there is not, for those who list them.
Families exporter_families();

}  // namespace wafd::telemetry
