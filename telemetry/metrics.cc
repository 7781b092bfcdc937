#include "telemetry/metrics.h"

#include <fmt/format.h>

namespace wafd::telemetry {

std::string prometheus_label(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string prometheus_text(std::span<const MetricFamily> families) {
  std::string out;
  for (const MetricFamily& family : families) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", family.name, family.help,
                       family.counter ? "counter" : "gauge");
    for (const MetricSample& sample : family.samples) {
      out += family.name;
      char before = '{';
      for (const auto& [label, value] : sample.labels) {
        out += fmt::format("{}{}=\"{}\"", before, label, prometheus_label(value));
        before = ',';
      }
      if (!sample.labels.empty()) out += '}';
      out += fmt::format(" {}\n", sample.value);
    }
  }
  return out;
}

}  // namespace wafd::telemetry
