// Metrics as values: what /metrics shows and what OTLP sends are made of the same families.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wafd::telemetry {

struct MetricSample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

struct MetricFamily {
  std::string name;            // "wafd_requests_total"
  bool counter = false;        // else a gauge
  std::string help;            // a sentence
  std::string_view unit = "";  // "s", "By" (UCUM); empty: a number of things
  bool whole = true;           // of integers
  bool since_start = true;     // a counter that was 0 when the program started
  std::vector<MetricSample> samples = {};
};

// A label's value: backslash, quote and line end escaped.
std::string prometheus_label(std::string_view text);
// Prometheus' text exposition format, version 0.0.4.
std::string prometheus_text(std::span<const MetricFamily> families);

}  // namespace wafd::telemetry
