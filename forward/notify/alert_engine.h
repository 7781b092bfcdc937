// Alert rules at work: events, states of the node and time in, notifications out. Without IO and clocks.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>

#include "forward/notify/alert.h"
#include "forward/notify/node_state.h"
#include "forward/notify/notification.h"
#include "forward/query/event_query.h"
#include "forward/ring/ring.h"

namespace wafd::forward {

// A count over the last minutes, to the second. Times may come out of order.
class CountWindow {
 public:
  void add(std::int64_t time_ms, std::uint64_t count = 1);
  // Forgets what is not after `from_ms`; what remains.
  std::uint64_t count_after(std::int64_t from_ms);
  bool empty() const noexcept { return seconds_.empty(); }

 private:
  std::map<std::int64_t, std::uint64_t> seconds_;
  std::uint64_t total_ = 0;
};

// A condition is told when it begins to hold and when it ceases to; not in between. `first_seen` has no end.
// One thread. Limits: kMaxKnown values a rule (then the oldest half is forgotten), kMaxListed in a message.
class AlertEngine {
 public:
  static constexpr std::size_t kMaxKnown = 200'000;
  static constexpr std::size_t kMaxListed = 20;
  // The name of the rule with that id; empty if there is none. Called by tick().
  using RuleNames = std::function<std::string(std::string_view id)>;

  explicit AlertEngine(RuleNames rule_names = {}) : rule_names_(std::move(rule_names)) {}

  // Rules that are as they were keep what they know. Gives those that are new or changed and look at events:
  // they want to learn what was before (wants_since, learn).
  std::vector<std::string> apply(std::vector<AlertSettings> alerts, std::int64_t now_ms);

  // The rule's query, and the time from which on it must see what the ring holds; null if there is none.
  const EventQuery* query_of(std::string_view id) const;
  std::int64_t wants_since(std::string_view id, std::int64_t now_ms) const;
  // An event of before that matches the rule's query: it is remembered, and nobody is told.
  void learn(std::string_view id, const RecordView& record);
  void learn(std::string_view id, const RecordHead& head);  // where heads alone decide
  bool looks_at_events() const noexcept;

  void event(const RecordView& record);
  void node(const NodeState& state, std::int64_t now_ms);
  // Notifications that are due now; asked at least once a second.
  std::vector<Notification> tick(std::int64_t now_ms);

  bool active(std::string_view id) const;
  // Which conditions hold, and which listeners had requests: for the next start.
  boost::json::object state() const;
  void restore(const boost::json::object& state);

 private:
  struct Condition {                // of one target, one listener, or the whole rule
    std::int64_t bad_since_ms = 0;  // 0: it is well
    bool told = false;
    std::string name;
    Words words;
  };
  struct Rule {
    AlertSettings settings;
    EventQuery query;
    CountWindow window;
    std::unordered_set<std::uint64_t> known;
    std::deque<std::uint64_t> order;  // of `known`, oldest first
    std::vector<std::string> fresh;   // seen for the first time since the last tick, kMaxListed at most
    std::uint64_t fresh_count = 0;
    std::map<std::string, Condition> conditions;
  };

  bool remember(Rule& rule, std::uint64_t hash);
  Rule* find(std::string_view id);
  std::string called(FirstSeenOf of, const std::string& value) const;
  void node_targets(Rule& rule, const NodeState& state, std::int64_t now_ms);
  void node_listeners(Rule& rule, const NodeState& state, std::int64_t now_ms);
  void fleet_nodes(Rule& rule, const NodeState& state, std::int64_t now_ms);
  void tick_window(Rule& rule, std::int64_t now_ms, std::vector<Notification>& out);
  void tick_fresh(Rule& rule, std::int64_t now_ms, std::vector<Notification>& out);
  void tick_conditions(Rule& rule, std::int64_t now_ms, std::vector<Notification>& out);

  RuleNames rule_names_;
  std::vector<Rule> rules_;
  std::map<std::string, std::string> sites_;      // names by uuid
  std::map<std::string, std::int64_t> spoke_ms_;  // listeners: when the last request came
  std::set<std::string> restored_;  // "rule" or "rule condition" that were told before the start
  std::uint64_t unjudged_ = 0;
  bool node_seen_ = false;
};

}  // namespace wafd::forward
