// OTLP over HTTP in its JSON encoding: requests, and what an answer means
// (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"; protobuf's JSON mapping with lowerCamelCase, 64-bit
// integers as strings and enums as numbers). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "telemetry/metrics.h"
#include "telemetry/otlp/log_queue.h"

namespace wafd::telemetry {

enum class Signal : std::uint8_t { kMetrics, kLogs };
std::string_view to_string(Signal signal) noexcept;  // "metrics", "logs"
std::string_view path_of(Signal signal) noexcept;    // "/v1/metrics", "/v1/logs"

// Who sends: service.instance.id and service.version; service.name is "wafd".
struct OtlpSender {
  std::string node;
  std::string version;
};

// Counters are cumulative monotonic sums; those that are 0 at the start of the program have its time as
// their start, or `now_us` if the clock was set back behind it. A family without samples is left out.
std::string metrics_request(const OtlpSender& sender, std::span<const MetricFamily> families,
                            std::int64_t start_us, std::int64_t now_us);
// Data points in it.
std::size_t points_in(std::span<const MetricFamily> families) noexcept;
std::string logs_request(const OtlpSender& sender, std::span<const LogRecord> records, std::int64_t now_us);

// gzip (RFC 1952); empty if memory does not suffice.
std::string gzip_of(std::string_view bytes);

struct OtlpAnswer {
  int status = 0;
  std::string body;
  std::optional<std::int64_t> retry_after_s;
  std::string failure;  // why there is none, for people; nothing of what the peer sent
  bool cut = false;     // the body is the beginning of a longer one
};

enum class Outcome : std::uint8_t {
  kTaken,    // all of it, but for `rejected`
  kLater,    // the same once more, later: no answer, 429, 502, 503, 504
  kRefused,  // never again
};

struct ExportResult {
  Outcome outcome = Outcome::kRefused;
  std::uint64_t rejected = 0;  // of those that were sent, by an answer of partial success
  std::string trouble;         // why it was not taken, for people; empty: it was
};
// Of a request with `items` data points or records.
ExportResult result_of(Signal signal, const OtlpAnswer& answer, std::uint64_t items);

}  // namespace wafd::telemetry
