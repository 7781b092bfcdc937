#include "console/base/status_tables.h"

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "console/base/status.h"

namespace wafd::console {
namespace {

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

template <class T>
struct StatusRow {
  StatusField field;
  boost::json::value (*read)(const T&);
};

template <class T>
boost::json::value json_of(const T& value) {
  return boost::json::value(value);
}

template <class T>
boost::json::value json_of(const std::optional<T>& value) {
  return value ? boost::json::value(*value) : boost::json::value();
}

boost::json::value json_of(const Counts& counts) {
  boost::json::object out;
  for (const auto& [name, count] : counts) out[name] = count;
  return out;
}

boost::json::value json_of(const Ranges& ranges) {
  boost::json::array out;
  for (const auto& [first, last] : ranges) out.push_back(boost::json::array{first, last});
  return out;
}

template <class Value>
constexpr MemberKind kind_of() {
  if constexpr (std::is_same_v<Value, bool>) return MemberKind::kBoolean;
  if constexpr (std::is_same_v<Value, std::string>) return MemberKind::kText;
  if constexpr (std::is_same_v<Value, std::optional<std::int64_t>>) return MemberKind::kIntegerOrNull;
  if constexpr (std::is_same_v<Value, Counts>) return MemberKind::kCounts;
  if constexpr (std::is_same_v<Value, Ranges>) return MemberKind::kRanges;
  return MemberKind::kInteger;
}

template <class Member>
struct MemberOf;
template <class Value, class Class>
struct MemberOf<Value Class::*> {
  using Of = Class;
  static constexpr MemberKind kKind = kind_of<Value>();
};

// `Member` is the member of the C++ object, `name` the one of the JSON.
template <auto Member>
constexpr auto row(std::string_view name, Unit unit, Metric metric, std::string_view help) {
  using Of = typename MemberOf<decltype(Member)>::Of;
  return StatusRow<Of>{{name, MemberOf<decltype(Member)>::kKind, unit, help, metric},
                       [](const Of& from) { return json_of(from.*Member); }};
}

constexpr Metric counter(int place, std::string_view name) { return {name, "counter", place}; }
constexpr Metric gauge(int place, std::string_view name) { return {name, "gauge", place}; }
constexpr Metric kNoMetric;

using Engine = StatusReport::Engine;
using Listener = StatusReport::Listener;
using Receiver = forward::TargetStatus;

constexpr StatusRow<Engine> kEngine[] = {
    row<&Engine::rules>("rules", Unit::kCount, gauge(24, "rules"), "Rules in use."),
    row<&Engine::requests>("requests", Unit::kCount, counter(1, "requests_total"), "Requests judged."),
    row<&Engine::denied>("denied", Unit::kCount, counter(2, "requests_denied_total"), "Requests denied."),
    row<&Engine::monitored>("monitored", Unit::kCount, counter(3, "requests_monitored_total"),
                            "Requests that would have been denied."),
    row<&Engine::allowed_recorded>("allowed_recorded", Unit::kCount, counter(4, "requests_recorded_total"),
                                   "Requests recorded below the threshold."),
    row<&Engine::ring_refused>("ring_refused", Unit::kCount, counter(5, "events_refused_total"),
                               "Events that the ring could not take."),
    row<&Engine::total_bytes>("total_octets", Unit::kBytes, counter(6, "request_bytes_total"),
                              "Bytes of requests."),
    row<&Engine::inspected_bytes>("inspected_octets", Unit::kBytes,
                                  counter(7, "request_bytes_inspected_total"),
                                  "Bytes of requests that were inspected."),
    row<&Engine::bodies_truncated>(
        "bodies_truncated", Unit::kCount, counter(8, "requests_body_truncated_total"),
        "Requests of whose body a part lay beyond the limits and was not inspected."),
    row<&Engine::bodies_abandoned>("bodies_abandoned", Unit::kCount,
                                   counter(9, "requests_body_abandoned_total"),
                                   "Requests whose body was not inspected."),
    row<&Engine::limits_reached>(
        "limits_reached", Unit::kCount, counter(10, "requests_limited_total"),
        "Requests in which a limit of fields, depth or decodings left something out."),
    row<&Engine::interrupted>("interrupted", Unit::kCount, counter(11, "requests_interrupted_total"),
                              "Requests whose judging was broken off after ingest.budget_ms."),
    row<&Engine::judged_by_head>(
        "judged_by_head", Unit::kCount, counter(12, "requests_judged_by_head_total"),
        "Requests of which the head alone was judged, because there was no time for the body."),
    row<&Engine::overload_passed>("overload_passed", Unit::kCount,
                                  counter(13, "requests_overload_passed_total"),
                                  "Of those, requests that were passed by ingest.on_overload."),
    row<&Engine::overload_blocked>("overload_blocked", Unit::kCount,
                                   counter(14, "requests_overload_blocked_total"),
                                   "Of those, requests that were blocked by ingest.on_overload."),
    row<&Engine::plugin_skipped>("plugin_skipped", Unit::kCount,
                                 counter(15, "requests_skipped_by_gateways_total"),
                                 "Requests that gateways passed without asking, as they told."),
    row<&Engine::waiting>("waiting", Unit::kCount, gauge(16, "requests_waiting"),
                          "Requests that wait for their turn to be judged."),
    row<&Engine::given_up>("given_up", Unit::kCount, counter(25, "requests_given_up_total"),
                           "Requests that waited and were not judged: their gateway went first."),
    row<&Engine::reports>("reports", Unit::kCount, counter(21, "response_reports_total"),
                          "Response reports of gateways."),
    row<&Engine::reports_unmatched>("reports_unmatched", Unit::kCount,
                                    counter(22, "response_reports_unmatched_total"),
                                    "Response reports that belong to no event in the ring."),
    row<&Engine::plugin_unjudged>("plugin_unjudged", Unit::kCount,
                                  counter(23, "requests_unjudged_by_gateways_total"),
                                  "Requests that gateways passed because asking failed, as they told."),
    row<&Engine::detect_us>("detect_us", Unit::kMicroseconds, counter(17, "detect_seconds_total"),
                            "Time spent judging."),
    row<&Engine::detect_us_p50>("detect_us_p50", Unit::kMicroseconds, gauge(18, "detect_seconds_p50"),
                                "Half of all requests took no longer to judge."),
    row<&Engine::detect_us_p99>("detect_us_p99", Unit::kMicroseconds, gauge(19, "detect_seconds_p99"),
                                "99 in 100 requests took no longer to judge."),
    row<&Engine::detect_us_p999>("detect_us_p999", Unit::kMicroseconds, gauge(20, "detect_seconds_p999"),
                                 "999 in 1000 requests took no longer to judge."),
};

constexpr StatusRow<RingStatus> kRing[] = {
    row<&RingStatus::size_bytes>("size_octets", Unit::kBytes, gauge(1, "ring_size_bytes"),
                                 "Size of the ring."),
    row<&RingStatus::used_bytes>("used_octets", Unit::kBytes, gauge(2, "ring_used_bytes"),
                                 "Bytes of the ring in use."),
    row<&RingStatus::oldest_seq>("oldest_seq", Unit::kSequence, gauge(4, "ring_oldest_sequence"),
                                 "Sequence of the oldest event held."),
    row<&RingStatus::end_seq>("end_seq", Unit::kSequence, gauge(3, "ring_end_sequence"),
                              "Sequence that the next event gets."),
    row<&RingStatus::oldest_ms>("oldest_ms", Unit::kUnixMs, kNoMetric,
                                "Unix time in ms of the oldest event held; null if there is none."),
    row<&RingStatus::reach_ms>("reach_ms", Unit::kMilliseconds, kNoMetric,
                               "How far back a full ring will reach, at the rate so far."),
    row<&RingStatus::refused>("refused", Unit::kCount, kNoMetric, "Events that the ring could not take."),
    row<&RingStatus::recovery>("recovery", Unit::kNone, kNoMetric, "How the ring was found at the start."),
};

constexpr StatusRow<Listener> kListener[] = {
    row<&Listener::name>("name", Unit::kNone, kNoMetric, "Which listener it is."),
    row<&Listener::address>("address", Unit::kNone, kNoMetric, "Where it listens."),
    row<&Listener::enforcing>("enforcing", Unit::kNone, kNoMetric,
                              "Whether its gateways act on the answers."),
    row<&Listener::connections>("connections", Unit::kCount, gauge(2, "listener_connections"),
                                "Open connections of a listener."),
    row<&Listener::requests>("requests", Unit::kCount, counter(1, "listener_requests_total"),
                             "Requests of a listener."),
    row<&Listener::bodies_seen>("bodies_seen", Unit::kCount, counter(4, "listener_bodies_seen_total"),
                                "Requests of a listener that came with a body."),
    row<&Listener::bodies_missing>("bodies_missing", Unit::kCount,
                                   counter(5, "listener_bodies_missing_total"),
                                   "Requests of a listener that had a body which was not handed over."),
    row<&Listener::last_request_ms>("last_request_ms", Unit::kUnixMs,
                                    gauge(3, "listener_last_request_timestamp_seconds"),
                                    "Unix time of the last request of a listener."),
    row<&Listener::refused>("refused", Unit::kNone, kNoMetric, "Refused input by reason."),
};

constexpr StatusRow<SiteCounts> kSiteDay[] = {
    row<&SiteCounts::requests>("requests", Unit::kCount, gauge(1, "site_requests_today"),
                               "Requests of a site since midnight UTC."),
    row<&SiteCounts::denied>("denied", Unit::kCount, gauge(2, "site_denied_today"),
                             "Requests of a site denied since midnight UTC."),
    row<&SiteCounts::monitored>("monitored", Unit::kCount, gauge(3, "site_monitored_today"),
                                "Requests of a site that would have been denied."),
    row<&SiteCounts::uninspected>("uninspected", Unit::kCount, gauge(4, "site_uninspected_today"),
                                  "Requests of a site not inspected in full."),
    row<&SiteCounts::bodies_seen>("bodies_seen", Unit::kCount, gauge(5, "site_bodies_seen_today"),
                                  "Requests of a site that came with a body."),
    row<&SiteCounts::bodies_missing>("bodies_missing", Unit::kCount, gauge(6, "site_bodies_missing_today"),
                                     "Requests of a site that had a body which was not handed over."),
};

constexpr StatusRow<Receiver> kTarget[] = {
    row<&Receiver::state>("state", Unit::kNone, kNoMetric, "The state that a target is in."),
    row<&Receiver::connected_to>("connected_to", Unit::kNone, kNoMetric,
                                 "Address and port of the receiver; empty if there is no connection."),
    row<&Receiver::cursor>("cursor", Unit::kSequence, kNoMetric, "Sequence of the next event to be settled."),
    row<&Receiver::lag_events>("lag_events", Unit::kCount, gauge(12, "target_lag_events"),
                               "Events not yet sent to a target."),
    row<&Receiver::lag_ms>("lag_ms", Unit::kMilliseconds, gauge(13, "target_lag_seconds"),
                           "Age of the oldest event not yet sent."),
    row<&Receiver::unacknowledged>("unacknowledged", Unit::kCount, gauge(14, "target_unacknowledged"),
                                   "Messages written to a target and not acknowledged."),
    row<&Receiver::unacknowledged_ms>("unacknowledged_ms", Unit::kMilliseconds,
                                      gauge(15, "target_unacknowledged_seconds"),
                                      "How long the oldest of them has waited."),
    row<&Receiver::sent>("sent", Unit::kCount, counter(1, "target_sent_total"), "Messages sent to a target."),
    row<&Receiver::acknowledged>("acknowledged", Unit::kCount, counter(2, "target_acknowledged_total"),
                                 "Messages acknowledged by a target."),
    row<&Receiver::resent>("resent", Unit::kCount, counter(3, "target_resent_total"),
                           "Messages sent again to a target."),
    row<&Receiver::truncated>("truncated", Unit::kCount, counter(4, "target_truncated_total"),
                              "Messages cut to a target's largest size."),
    row<&Receiver::filtered>("filtered", Unit::kCount, counter(5, "target_filtered_total"),
                             "Events that a target's filter left out."),
    row<&Receiver::rejected>("put_aside", Unit::kCount, counter(8, "target_put_aside_total"),
                             "Messages that a target rejected."),
    row<&Receiver::lost>("lost", Unit::kCount, counter(7, "target_lost_total"),
                         "Events overtaken by the ring before they were sent."),
    row<&Receiver::lost_ranges>("lost_ranges", Unit::kNone, kNoMetric,
                                "First and last sequence of what was lost, the newest 16 ranges."),
    row<&Receiver::lines_lost>("audit_lost", Unit::kCount, counter(9, "target_audit_lost_total"),
                               "Audit lines beyond those that may wait."),
    row<&Receiver::bytes>("octets", Unit::kBytes, counter(6, "target_bytes_total"),
                          "Bytes sent to a target."),
    row<&Receiver::reconnects>("reconnects", Unit::kCount, counter(11, "target_reconnects_total"),
                               "Connections made again."),
    row<&Receiver::errors>("errors", Unit::kCount, counter(10, "target_errors_total"), "Errors of a target."),
    row<&Receiver::last_error>("last_error", Unit::kNone, kNoMetric, "Empty: there was none."),
    row<&Receiver::last_error_ms>("last_error_ms", Unit::kUnixMs,
                                  gauge(17, "target_last_error_timestamp_seconds"),
                                  "Unix time of a target's last error."),
    row<&Receiver::last_sent_ms>("last_sent_ms", Unit::kUnixMs,
                                 gauge(16, "target_last_sent_timestamp_seconds"),
                                 "Unix time of the last message sent to a target."),
};

constexpr StatusRow<ConsoleStatus> kConsole[] = {
    row<&ConsoleStatus::address>("address", Unit::kNone, kNoMetric, "Where the console listens."),
    row<&ConsoleStatus::connections>("connections", Unit::kCount, gauge(1, "console_connections"),
                                     "Open connections of the console."),
    row<&ConsoleStatus::streams>("streams", Unit::kCount, kNoMetric, "Live tails and exports under way."),
    row<&ConsoleStatus::fingerprint_sha256>("fingerprint_sha256", Unit::kNone, kNoMetric,
                                            "Of its certificate."),
    row<&ConsoleStatus::refused>("refused", Unit::kNone, kNoMetric,
                                 "Refused connections and requests by reason."),
};

template <class T>
boost::json::object object_of(std::span<const StatusRow<T>> rows, const T& from) {
  boost::json::object out;
  for (const StatusRow<T>& row : rows) out[row.field.member] = row.read(from);
  return out;
}

template <class T, std::size_t N>
std::vector<StatusField> fields_of(const StatusRow<T> (&rows)[N]) {
  std::vector<StatusField> out;
  for (const StatusRow<T>& row : rows) out.push_back(row.field);
  return out;
}

}  // namespace

boost::json::object to_json(const Engine& status) { return object_of<Engine>(kEngine, status); }
boost::json::object to_json(const RingStatus& status) { return object_of<RingStatus>(kRing, status); }
boost::json::object to_json(const Listener& status) { return object_of<Listener>(kListener, status); }
boost::json::object to_json(const SiteCounts& status) { return object_of<SiteCounts>(kSiteDay, status); }
boost::json::object to_json(const Receiver& status) { return object_of<Receiver>(kTarget, status); }
boost::json::object to_json(const ConsoleStatus& status) {
  return object_of<ConsoleStatus>(kConsole, status);
}

std::string_view to_string(Unit unit) noexcept {
  switch (unit) {
    case Unit::kNone:
    case Unit::kCount:
      return "";
    case Unit::kSequence:
      return "sequence";
    case Unit::kBytes:
      return "bytes";
    case Unit::kMicroseconds:
      return "microseconds";
    case Unit::kMilliseconds:
      return "milliseconds";
    case Unit::kUnixMs:
      return "unix_ms";
  }
  return "";
}

double per_metric_unit(Unit unit) noexcept {
  if (unit == Unit::kMicroseconds) return 1e6;
  return unit == Unit::kMilliseconds || unit == Unit::kUnixMs ? 1e3 : 1;
}

std::string_view metric_unit(Unit unit) noexcept {
  if (unit == Unit::kBytes) return "By";
  return per_metric_unit(unit) == 1 ? "" : "s";
}

std::vector<StatusField> status_fields(std::string_view table) {
  if (table == "engine") return fields_of(kEngine);
  if (table == "ring") return fields_of(kRing);
  if (table == "listener") return fields_of(kListener);
  if (table == "site_day") return fields_of(kSiteDay);
  if (table == "target") return fields_of(kTarget);
  if (table == "console") return fields_of(kConsole);
  return {};
}

}  // namespace wafd::console
