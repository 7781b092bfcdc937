#include "console/status.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace wafd::console {
namespace {

boost::json::object counts(const std::vector<std::pair<std::string, std::uint64_t>>& items) {
  boost::json::object out;
  for (const auto& [name, count] : items) out[name] = count;
  return out;
}

class Metrics {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ += fmt::format("# HELP wafd_{} {}\n# TYPE wafd_{} {}\n", name, help, name, type);
  }
  void sample(const boost::json::value& value, std::string_view labels = {}) {
    if (!value.is_number()) return;
    const double number = value.to_number<double>();
    out_ += labels.empty() ? fmt::format("wafd_{} {}\n", name_, number)
                           : fmt::format("wafd_{}{{{}}} {}\n", name_, labels, number);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string name_;
  std::string out_;
};

struct Metric {
  std::string_view member;
  std::string_view name;
  std::string_view type;
  std::string_view help;
};

constexpr Metric kEngine[] = {
    {"requests", "requests_total", "counter", "Requests judged."},
    {"denied", "requests_denied_total", "counter", "Requests denied."},
    {"monitored", "requests_monitored_total", "counter", "Requests that would have been denied."},
    {"allowed_recorded", "requests_recorded_total", "counter", "Requests recorded below the threshold."},
    {"ring_refused", "events_refused_total", "counter", "Events that the ring could not take."},
    {"total_octets", "request_octets_total", "counter", "Octets of requests."},
    {"inspected_octets", "request_octets_inspected_total", "counter",
     "Octets of requests that were inspected."},
    {"bodies_truncated", "requests_body_truncated_total", "counter",
     "Requests of whose body a part lay beyond the limits and was not inspected."},
    {"bodies_abandoned", "requests_body_abandoned_total", "counter",
     "Requests whose body was not inspected."},
    {"limits_reached", "requests_limited_total", "counter",
     "Requests in which a limit of fields, depth or decodings left something out."},
    {"detect_us", "detect_microseconds_total", "counter", "Time spent judging."},
    {"detect_us_p50", "detect_microseconds_p50", "gauge", "Half of all requests took no longer to judge."},
    {"detect_us_p99", "detect_microseconds_p99", "gauge", "99 in 100 requests took no longer to judge."},
    {"detect_us_p999", "detect_microseconds_p999", "gauge", "999 in 1000 requests took no longer to judge."},
    {"reports", "response_reports_total", "counter", "Response reports of gateways."},
    {"reports_unmatched", "response_reports_unmatched_total", "counter",
     "Response reports that belong to no event in the ring."},
    {"rules", "rules", "gauge", "Rules in use."},
};
constexpr Metric kRing[] = {
    {"size_octets", "ring_size_octets", "gauge", "Size of the ring."},
    {"used_octets", "ring_used_octets", "gauge", "Octets of the ring in use."},
    {"end_seq", "ring_end_sequence", "gauge", "Sequence that the next event gets."},
    {"oldest_seq", "ring_oldest_sequence", "gauge", "Sequence of the oldest event held."},
};
constexpr Metric kListener[] = {
    {"requests", "listener_requests_total", "counter", "Requests of a listener."},
    {"connections", "listener_connections", "gauge", "Open connections of a listener."},
    {"last_request_ms", "listener_last_request_ms", "gauge",
     "Unix time in ms of the last request of a listener."},
};
constexpr Metric kSiteDay[] = {
    {"requests", "site_requests_today", "gauge", "Requests of a site since midnight UTC."},
    {"denied", "site_denied_today", "gauge", "Requests of a site denied since midnight UTC."},
    {"monitored", "site_monitored_today", "gauge", "Requests of a site that would have been denied."},
    {"uninspected", "site_uninspected_today", "gauge", "Requests of a site not inspected in full."},
};
constexpr Metric kTarget[] = {
    {"sent", "target_sent_total", "counter", "Messages sent to a target."},
    {"acknowledged", "target_acknowledged_total", "counter", "Messages acknowledged by a target."},
    {"resent", "target_resent_total", "counter", "Messages sent again to a target."},
    {"truncated", "target_truncated_total", "counter", "Messages cut to a target's largest size."},
    {"filtered", "target_filtered_total", "counter", "Events that a target's filter left out."},
    {"octets", "target_octets_total", "counter", "Octets sent to a target."},
    {"lost", "target_lost_total", "counter", "Events overtaken by the ring before they were sent."},
    {"put_aside", "target_put_aside_total", "counter", "Messages put aside."},
    {"audit_lost", "target_audit_lost_total", "counter", "Audit lines beyond those that may wait."},
    {"errors", "target_errors_total", "counter", "Errors of a target."},
    {"reconnects", "target_reconnects_total", "counter", "Connections made again."},
    {"lag_events", "target_lag_events", "gauge", "Events not yet sent to a target."},
    {"lag_ms", "target_lag_ms", "gauge", "Age of the oldest event not yet sent."},
    {"unacknowledged", "target_unacknowledged", "gauge",
     "Messages written to a target and not acknowledged."},
    {"unacknowledged_ms", "target_unacknowledged_ms", "gauge", "How long the oldest of them has waited."},
    {"last_sent_ms", "target_last_sent_ms", "gauge", "Unix time in ms of the last message sent to a target."},
    {"last_error_ms", "target_last_error_ms", "gauge", "Unix time in ms of a target's last error."},
};

template <std::size_t N>
void group(Metrics& out, const Metric (&metrics)[N], const boost::json::object& values) {
  for (const Metric& metric : metrics) {
    out.family(metric.name, metric.type, metric.help);
    if (const boost::json::value* value = values.if_contains(metric.member)) out.sample(*value);
  }
}

template <std::size_t N>
void list(Metrics& out, const Metric (&metrics)[N], const boost::json::array& items,
          std::string_view label_name) {
  for (const Metric& metric : metrics) {
    out.family(metric.name, metric.type, metric.help);
    for (const boost::json::value& item : items) {
      const boost::json::object& object = item.as_object();
      const std::string labels = fmt::format(
          "{}=\"{}\"", label_name, prometheus_label(std::string_view(object.at("name").as_string())));
      if (const boost::json::value* value = object.if_contains(metric.member)) out.sample(*value, labels);
    }
  }
}

}  // namespace

std::string prometheus_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

boost::json::object to_json(const forward::TargetStatus& s) {
  boost::json::array ranges;
  for (const auto& [first, last] : s.lost_ranges) ranges.push_back(boost::json::array{first, last});
  return {{"state", s.state},
          {"connected_to", s.connected_to},
          {"cursor", s.cursor},
          {"lag_events", s.lag_events},
          {"lag_ms", s.lag_ms},
          {"unacknowledged", s.unacknowledged},
          {"unacknowledged_ms", s.unacknowledged_ms},
          {"sent", s.sent},
          {"acknowledged", s.acknowledged},
          {"resent", s.resent},
          {"truncated", s.truncated},
          {"filtered", s.filtered},
          {"put_aside", s.put_aside},
          {"lost", s.lost},
          {"lost_ranges", std::move(ranges)},
          {"audit_lost", s.lines_lost},
          {"octets", s.octets},
          {"reconnects", s.reconnects},
          {"errors", s.errors},
          {"last_error", s.last_error},
          {"last_error_ms", s.last_error_ms},
          {"last_sent_ms", s.last_sent_ms}};
}

boost::json::object to_json(const StatusReport::Engine& engine) {
  return {{"rules", engine.rules},
          {"requests", engine.requests},
          {"denied", engine.denied},
          {"monitored", engine.monitored},
          {"allowed_recorded", engine.allowed_recorded},
          {"ring_refused", engine.ring_refused},
          {"total_octets", engine.total_octets},
          {"inspected_octets", engine.inspected_octets},
          {"bodies_truncated", engine.bodies_truncated},
          {"bodies_abandoned", engine.bodies_abandoned},
          {"limits_reached", engine.limits_reached},
          {"reports", engine.reports},
          {"reports_unmatched", engine.reports_unmatched},
          {"detect_us", engine.detect_us},
          {"detect_us_p50", engine.detect_us_p50},
          {"detect_us_p99", engine.detect_us_p99},
          {"detect_us_p999", engine.detect_us_p999}};
}

boost::json::object to_json(const StatusReport::Listener& listener) {
  return {{"name", listener.name},
          {"address", listener.address},
          {"enforcing", listener.enforcing},
          {"connections", listener.connections},
          {"requests", listener.requests},
          {"last_request_ms", listener.last_request_ms == 0 ? boost::json::value()
                                                            : boost::json::value(listener.last_request_ms)},
          {"refused", counts(listener.refused)}};
}

boost::json::object to_json(const ConsoleStatus& console) {
  return {{"address", console.address},
          {"connections", console.connections},
          {"streams", console.streams},
          {"fingerprint_sha256", console.fingerprint_sha256},
          {"refused", counts(console.refused)}};
}

std::string to_prometheus(const boost::json::object& status) {
  Metrics out;
  out.family("info", "gauge", "The program.");
  out.sample(1, fmt::format("version=\"{}\",node=\"{}\"",
                            prometheus_label(std::string_view(status.at("version").as_string())),
                            prometheus_label(std::string_view(status.at("node").as_string()))));
  group(out, kEngine, status.at("engine").as_object());
  group(out, kRing, status.at("ring").as_object());
  list(out, kListener, status.at("listeners").as_array(), "listener");
  out.family("listener_refused_total", "counter", "Input refused by a listener, by reason.");
  for (const boost::json::value& item : status.at("listeners").as_array()) {
    for (const auto& reason : item.as_object().at("refused").as_object()) {
      out.sample(reason.value(),
                 fmt::format("listener=\"{}\",reason=\"{}\"",
                             prometheus_label(std::string_view(item.as_object().at("name").as_string())),
                             prometheus_label(reason.key())));
    }
  }
  for (const Metric& metric : kSiteDay) {
    out.family(metric.name, metric.type, metric.help);
    for (const boost::json::value& site : status.at("sites").as_array()) {
      const boost::json::object* today = site.as_object().at("today").if_object();
      if (today == nullptr) continue;
      const std::string labels = fmt::format(
          "site=\"{}\"", prometheus_label(std::string_view(site.as_object().at("uuid").as_string())));
      out.sample(today->at(metric.member), labels);
    }
  }
  list(out, kTarget, status.at("targets").as_array(), "target");
  out.family("target_state", "gauge", "1: the state that a target is in.");
  for (const boost::json::value& item : status.at("targets").as_array()) {
    const boost::json::object& target = item.as_object();
    const boost::json::value* state = target.if_contains("state");
    if (state == nullptr || !state->is_string()) continue;
    out.sample(1, fmt::format("target=\"{}\",state=\"{}\"",
                              prometheus_label(std::string_view(target.at("name").as_string())),
                              std::string_view(state->get_string())));
  }
  out.family("console_connections", "gauge", "Open connections of the console.");
  out.sample(status.at("console").as_object().at("connections"));
  return out.take();
}

}  // namespace wafd::console
