#include "console/base/status.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "console/base/status_tables.h"

namespace wafd::console {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Metrics {
 public:
  void family(std::string_view name, bool counter, std::string_view help) {
    families_.push_back(
        {.name = fmt::format("wafd_{}", name), .counter = counter, .help = std::string(help)});
  }
  void family(const StatusField& field) {
    family(field.metric.name, field.metric.type == "counter", field.help);
    families_.back().unit = metric_unit(field.unit);
    families_.back().whole = per_metric_unit(field.unit) == 1;
  }
  // Of counters that go on over a restart, or begin anew while the program runs.
  void without_start() { families_.back().since_start = false; }
  void sample(const boost::json::value& value, Labels labels = {}, Unit unit = Unit::kNone) {
    if (!value.is_number()) return;
    families_.back().samples.push_back(
        {std::move(labels), value.to_number<double>() / per_metric_unit(unit)});
  }
  std::vector<telemetry::MetricFamily> take() { return std::move(families_); }

 private:
  std::vector<telemetry::MetricFamily> families_;
};

// Those fields of a table that are metrics, in the order of the metrics.
std::vector<StatusField> metrics_of(std::string_view table) {
  std::vector<StatusField> out = status_fields(table);
  std::erase_if(out, [](const StatusField& field) { return field.metric.name.empty(); });
  std::sort(out.begin(), out.end(),
            [](const StatusField& a, const StatusField& b) { return a.metric.place < b.metric.place; });
  return out;
}

void group(Metrics& out, std::string_view table, const boost::json::object& values) {
  for (const StatusField& field : metrics_of(table)) {
    out.family(field);
    if (const boost::json::value* value = values.if_contains(field.member))
      out.sample(*value, {}, field.unit);
  }
}

std::pair<std::string, std::string> label_of(std::string_view label, const boost::json::object& item,
                                             std::string_view member) {
  return {std::string(label), std::string(item.at(member).as_string())};
}

void list(Metrics& out, std::string_view table, const boost::json::array& items) {
  for (const StatusField& field : metrics_of(table)) {
    out.family(field);
    if (table == "target") out.without_start();
    for (const boost::json::value& item : items) {
      const boost::json::object& object = item.as_object();
      if (const boost::json::value* value = object.if_contains(field.member))
        out.sample(*value, {label_of(table, object, "name")}, field.unit);
    }
  }
}

void sites(Metrics& out, const boost::json::array& items) {
  for (const StatusField& field : metrics_of("site_day")) {
    out.family(field);
    for (const boost::json::value& site : items) {
      const boost::json::object* today = site.as_object().at("today").if_object();
      if (today != nullptr) out.sample(today->at(field.member), {label_of("site", site.as_object(), "uuid")});
    }
  }
}

void refused(Metrics& out, const boost::json::array& listeners) {
  out.family("listener_refused_total", true, "Input refused by a listener, by reason.");
  for (const boost::json::value& item : listeners) {
    for (const auto& reason : item.as_object().at("refused").as_object()) {
      out.sample(reason.value(),
                 {label_of("listener", item.as_object(), "name"), {"reason", std::string(reason.key())}});
    }
  }
}

void states(Metrics& out, const boost::json::array& targets) {
  out.family("target_state", false, "1: the state that a target is in.");
  for (const boost::json::value& item : targets) {
    const boost::json::object& target = item.as_object();
    const boost::json::value* state = target.if_contains("state");
    if (state == nullptr || !state->is_string()) continue;
    out.sample(1, {label_of("target", target, "name"), {"state", std::string(state->get_string())}});
  }
}

}  // namespace

std::vector<telemetry::MetricFamily> metric_families(const boost::json::object& status) {
  Metrics out;
  out.family("info", false, "The program.");
  out.sample(1, {label_of("version", status, "version"), label_of("node", status, "node")});
  group(out, "engine", status.at("engine").as_object());
  group(out, "ring", status.at("ring").as_object());
  list(out, "listener", status.at("listeners").as_array());
  refused(out, status.at("listeners").as_array());
  sites(out, status.at("sites").as_array());
  list(out, "target", status.at("targets").as_array());
  states(out, status.at("targets").as_array());
  group(out, "console", status.at("console").as_object());
  return out.take();
}

}  // namespace wafd::console
