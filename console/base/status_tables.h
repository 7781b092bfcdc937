// The members of the status document, one row each. From these rows come the JSON of the status API, its
// OpenAPI schema, the types of the page (console/web/src/api/status_types.ts) and the metrics: to show one
// more number, add a row.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace wafd::console {

enum class MemberKind : std::uint8_t {
  kInteger,
  kIntegerOrNull,
  kText,
  kBoolean,
  kCounts,  // object: reason -> how often
  kRanges,  // list of [first, last]
};

enum class Unit : std::uint8_t { kNone, kCount, kSequence, kBytes, kMicroseconds, kMilliseconds, kUnixMs };
// "bytes", "microseconds", "milliseconds", "unix_ms", "sequence"; empty for counts and for what is no number.
std::string_view to_string(Unit unit) noexcept;
// How many of it are one of the metric's unit: 1,000,000 for microseconds, which are shown as seconds.
double per_metric_unit(Unit unit) noexcept;

// That unit in UCUM, "s" or "By"; empty: a number of things.
std::string_view metric_unit(Unit unit) noexcept;

// How a member is named among the metrics (Prometheus text format), which are in base units: bytes and
// seconds, whatever the unit of the JSON is. `place` orders the metrics of a table; what is released keeps
// its place, so that the text stays the same for whoever compares it.
struct Metric {
  std::string_view name;  // behind "wafd_"; empty: the member is no metric
  std::string_view type;  // "counter" | "gauge"
  int place = 0;
};

struct StatusField {
  std::string_view member;
  MemberKind kind = MemberKind::kInteger;
  Unit unit = Unit::kNone;
  std::string_view help;  // a sentence; HELP of the metric (in its unit) and description of the schema
  Metric metric;
};

// The rows of "engine", "ring", "listener", "site_day", "target" or "console", in the order of the JSON;
// empty for other names.
std::vector<StatusField> status_fields(std::string_view table);

}  // namespace wafd::console
