#include "console/base/fleet_nodes.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

namespace wafd::console {
namespace {

constexpr std::size_t kMaxToldTargets = 64;
constexpr std::size_t kMaxToldBytes = 200;
constexpr std::size_t kMaxToldReasonBytes = 1000;
constexpr std::size_t kMaxToldSilent = 100;

// A node's word is not taken for its form.
std::string told_text(const boost::json::object& object, std::string_view name,
                      std::size_t max_bytes = kMaxToldBytes) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_string()) return {};
  return std::string(std::string_view(value->get_string()).substr(0, max_bytes));
}

template <class Number>
Number told_number(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (value == nullptr || !value->is_number()) return 0;
  boost::system::error_code error;
  const Number number = value->to_number<Number>(error);
  return error ? Number() : number;
}

boost::json::object told_target(const FleetNodeFacts::Target& target) {
  return {{"name", target.name},
          {"state", target.state},
          {"lag_events", target.lag_events},
          {"lag_ms", target.lag_ms}};
}

boost::json::object told_members(const FleetNodeFacts& facts) {
  boost::json::array targets;
  for (const auto& target : facts.targets) targets.emplace_back(told_target(target));
  return {{"version", facts.version},
          {"started_ms", facts.started_ms},
          {"requests", facts.requests},
          {"denied", facts.denied},
          {"requests_per_s", facts.requests_per_s},
          {"waiting", facts.waiting},
          {"last_request_ms", facts.last_request_ms ? boost::json::value(*facts.last_request_ms) : nullptr},
          {"settings_version", facts.settings_version},
          {"settings_error", facts.settings_error},
          {"targets", std::move(targets)}};
}

}  // namespace

std::string said_by_node(const FleetNodeFacts& facts) { return boost::json::serialize(told_members(facts)); }

void read_said(std::string_view json, FleetNodeFacts& facts) {
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(json, error);
  if (error || !value.is_object()) return;
  const auto& said = value.get_object();
  facts.version = told_text(said, "version");
  facts.started_ms = told_number<std::int64_t>(said, "started_ms");
  facts.requests = told_number<std::uint64_t>(said, "requests");
  facts.denied = told_number<std::uint64_t>(said, "denied");
  facts.requests_per_s = told_number<double>(said, "requests_per_s");
  facts.waiting = told_number<std::uint64_t>(said, "waiting");
  if (const auto last = told_number<std::int64_t>(said, "last_request_ms"); last > 0)
    facts.last_request_ms = last;
  facts.settings_version = told_number<std::uint64_t>(said, "settings_version");
  facts.settings_error = told_text(said, "settings_error", kMaxToldReasonBytes);
  const auto* targets = said.if_contains("targets");
  if (targets == nullptr || !targets->is_array()) return;
  for (const auto& target : targets->get_array()) {
    if (!target.is_object() || facts.targets.size() >= kMaxToldTargets) continue;
    const auto& object = target.get_object();
    facts.targets.push_back({told_text(object, "name"), told_text(object, "state"),
                             told_number<std::uint64_t>(object, "lag_events"),
                             told_number<std::int64_t>(object, "lag_ms")});
  }
}

boost::json::object to_json(const FleetFacts& facts, std::int64_t now_ms) {
  boost::json::array nodes;
  for (const FleetNodeFacts& node : facts.nodes) {
    boost::json::object object = told_members(node);
    object["node"] = node.node;
    object["instance"] = node.instance;
    object["seen_ms"] = node.seen_ms;
    object["silent_ms"] = node.silent_ms;
    object["silent"] = node.silent();
    object["clock_ms"] = node.clock_ms;
    nodes.emplace_back(std::move(object));
  }
  return {{"place", facts.place},     {"answered", facts.asked && facts.why.empty()},
          {"why", facts.why},         {"since_ms", facts.since_ms},
          {"now_ms", now_ms},         {"silent_after_ms", kSilentNodeMs},
          {"nodes", std::move(nodes)}};
}

boost::json::object fleet_summary(const FleetFacts& facts) {
  boost::json::array silent;
  for (const FleetNodeFacts& node : facts.nodes)
    if (node.silent() && silent.size() < kMaxToldSilent) silent.emplace_back(node.node);
  return {{"answered", facts.why.empty()},
          {"why", facts.why},
          {"nodes", facts.nodes.size()},
          {"silent", std::move(silent)}};
}

}  // namespace wafd::console
