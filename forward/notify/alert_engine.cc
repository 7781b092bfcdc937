#include "forward/notify/alert_engine.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "forward/trend/trend_counts.h"

namespace wafd::forward {
namespace {

constexpr std::int64_t kSecondMs = 1000;
constexpr std::int64_t kMinuteMs = 60 * kSecondMs;
constexpr std::string_view kWhole = "*";  // the condition of a rule that has one alone

bool of_events(const AlertSettings& alert) {
  return alert.when == AlertWhen::kMatches || alert.when == AlertWhen::kFirstSeen;
}

std::string_view value_of(const RecordView& record, FirstSeenOf of) {
  if (of == FirstSeenOf::kSource) return record.src_ip;
  return of == FirstSeenOf::kSite ? record.site_uuid : record.rule_id;
}

Words minutes_of(std::int64_t minutes) { return say(minutes == 1 ? "{} minute" : "{} minutes", minutes); }

Words duration(std::int64_t ms) {
  const std::int64_t minutes = std::max<std::int64_t>(ms / kMinuteMs, 0);
  if (minutes >= 48 * 60) return say("{} days", minutes / (24 * 60));
  return minutes >= 120 ? say("{} hours", minutes / 60) : minutes_of(minutes);
}

Notification about(const AlertSettings& alert, NotificationState state, std::int64_t now_ms, Words title) {
  Notification out;
  out.alert_id = alert.id;
  out.alert = alert.name;
  out.when = std::string(to_string(alert.when));
  out.state = state;
  out.time_ms = now_ms;
  out.entitle(std::move(title));
  out.channels = alert.channels;
  if (of_events(alert)) out.query = alert.query;
  return out;
}

// The same condition, whatever the rule is called and whoever is told.
bool same_condition(AlertSettings a, const AlertSettings& b) {
  a.name = b.name;
  a.channels = b.channels;
  return a == b;
}

}  // namespace

void CountWindow::add(std::int64_t time_ms, std::uint64_t count) {
  seconds_[time_ms / kSecondMs] += count;
  total_ += count;
}

std::uint64_t CountWindow::count_after(std::int64_t from_ms) {
  while (!seconds_.empty() && seconds_.begin()->first * kSecondMs <= from_ms) {
    total_ -= seconds_.begin()->second;
    seconds_.erase(seconds_.begin());
  }
  return total_;
}

std::vector<std::string> AlertEngine::apply(std::vector<AlertSettings> alerts, std::int64_t) {
  std::vector<Rule> rules;
  std::vector<std::string> learners;
  for (AlertSettings& alert : alerts) {
    if (!alert.enabled) continue;
    const auto old = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& rule) {
      return rule.settings.id == alert.id && same_condition(rule.settings, alert);
    });
    if (old != rules_.end()) {
      Rule kept = std::move(*old);
      rules_.erase(old);
      kept.settings = std::move(alert);
      rules.push_back(std::move(kept));
      continue;
    }
    auto query = EventQuery::parse(alert.query);
    if (!query) continue;  // it was judged when it was saved
    if (of_events(alert)) learners.push_back(alert.id);
    Rule rule;
    rule.settings = std::move(alert);
    rule.query = std::move(*query);
    rules.push_back(std::move(rule));
  }
  rules_ = std::move(rules);
  return learners;
}

const EventQuery* AlertEngine::query_of(std::string_view id) const {
  for (const Rule& rule : rules_)
    if (rule.settings.id == id) return &rule.query;
  return nullptr;
}

std::int64_t AlertEngine::wants_since(std::string_view id, std::int64_t now_ms) const {
  for (const Rule& rule : rules_)
    if (rule.settings.id == id && rule.settings.when == AlertWhen::kMatches)
      return now_ms - rule.settings.minutes * kMinuteMs;
  return 0;
}

AlertEngine::Rule* AlertEngine::find(std::string_view id) {
  const auto found =
      std::find_if(rules_.begin(), rules_.end(), [&](const Rule& rule) { return rule.settings.id == id; });
  return found == rules_.end() ? nullptr : &*found;
}

bool AlertEngine::looks_at_events() const noexcept {
  return std::any_of(rules_.begin(), rules_.end(), [](const Rule& rule) { return of_events(rule.settings); });
}

bool AlertEngine::remember(Rule& rule, std::uint64_t hash) {
  if (!rule.known.insert(hash).second) return false;
  rule.order.push_back(hash);
  if (rule.order.size() > kMaxKnown) {
    for (std::size_t i = 0; i < kMaxKnown / 2; ++i) {
      rule.known.erase(rule.order.front());
      rule.order.pop_front();
    }
  }
  return true;
}

void AlertEngine::learn(std::string_view id, const RecordView& record) {
  Rule* rule = find(id);
  if (rule == nullptr) return;
  if (rule->settings.when == AlertWhen::kMatches) rule->window.add(record.time_ms);
  if (rule->settings.when == AlertWhen::kFirstSeen)
    remember(*rule, text_hash(value_of(record, rule->settings.of)));
}

void AlertEngine::learn(std::string_view id, const RecordHead& head) {
  Rule* rule = find(id);
  if (rule == nullptr) return;
  if (rule->settings.when == AlertWhen::kMatches) rule->window.add(head.time_ms);
  if (rule->settings.when != AlertWhen::kFirstSeen) return;
  if (rule->settings.of == FirstSeenOf::kRule) remember(*rule, head.rule_hash);
  if (rule->settings.of == FirstSeenOf::kSite) remember(*rule, head.site_hash);
  if (rule->settings.of == FirstSeenOf::kSource && head.source)
    remember(*rule, text_hash(head.source->text()));
}

void AlertEngine::event(const RecordView& record) {
  for (Rule& rule : rules_) {
    if (!of_events(rule.settings) || !rule.query.matches(record)) continue;
    if (rule.settings.when == AlertWhen::kMatches) {
      rule.window.add(record.time_ms);
      continue;
    }
    const std::string_view value = value_of(record, rule.settings.of);
    if (value.empty() || !remember(rule, text_hash(value))) continue;
    ++rule.fresh_count;
    if (rule.fresh.size() < kMaxListed) rule.fresh.emplace_back(value);
  }
}

void AlertEngine::node_targets(Rule& rule, const NodeState& state, std::int64_t now_ms) {
  std::map<std::string, Condition> now;
  for (const NodeState::Target& target : state.targets) {
    Condition condition = rule.conditions[target.id];
    condition.name = target.name;
    if (target.well)
      condition.bad_since_ms = 0;
    else if (condition.bad_since_ms == 0)
      condition.bad_since_ms = now_ms;
    condition.words = translated(target.state);
    now.emplace(target.id, std::move(condition));
  }
  rule.conditions = std::move(now);  // a target that was removed is told of no more
}

void AlertEngine::node_listeners(Rule& rule, const NodeState& state, std::int64_t now_ms) {
  for (const NodeState::Listener& listener : state.listeners) {
    const auto spoke = spoke_ms_.find(listener.name);
    if (spoke == spoke_ms_.end()) continue;  // nobody has ever asked there
    Condition& condition = rule.conditions[listener.name];
    condition.name = listener.name;
    const bool silent = now_ms - spoke->second >= rule.settings.minutes * kMinuteMs;
    condition.bad_since_ms = silent ? spoke->second : 0;
  }
}

// While the database cannot be asked, nothing is known to have changed.
void AlertEngine::fleet_nodes(Rule& rule, const NodeState& state, std::int64_t now_ms) {
  if (!state.nodes) return;
  std::map<std::string, Condition> now;
  for (const NodeState::Node& node : *state.nodes) {
    Condition condition = rule.conditions[node.id];
    condition.name = node.name;
    const bool silent = node.silent_ms >= rule.settings.minutes * kMinuteMs;
    condition.bad_since_ms = silent ? now_ms - node.silent_ms : 0;
    now.emplace(node.id, std::move(condition));
  }
  rule.conditions = std::move(now);  // a node that was forgotten is told of no more
}

void AlertEngine::node(const NodeState& state, std::int64_t now_ms) {
  sites_ = state.sites;
  for (const NodeState::Listener& listener : state.listeners) {
    if (listener.last_request_ms) spoke_ms_[listener.name] = *listener.last_request_ms;
  }
  const std::uint64_t more = state.unjudged > unjudged_ ? state.unjudged - unjudged_ : 0;
  for (Rule& rule : rules_) {
    switch (rule.settings.when) {
      case AlertWhen::kTargetDead:
        node_targets(rule, state, now_ms);
        break;
      case AlertWhen::kGatewaySilent:
        node_listeners(rule, state, now_ms);
        break;
      case AlertWhen::kOverload:
        if (node_seen_ && more > 0) rule.window.add(now_ms, more);
        break;
      case AlertWhen::kNodeSilent:
        fleet_nodes(rule, state, now_ms);
        break;
      case AlertWhen::kRingReach: {
        Condition& condition = rule.conditions[std::string(kWhole)];
        const bool low = state.reach_ms && *state.reach_ms < rule.settings.hours * kHourMs;
        condition.bad_since_ms = low ? now_ms : 0;
        if (state.reach_ms) condition.words = duration(*state.reach_ms);
        break;
      }
      case AlertWhen::kMatches:
      case AlertWhen::kFirstSeen:
        break;
    }
  }
  unjudged_ = state.unjudged;
  node_seen_ = true;
}

void AlertEngine::tick_window(Rule& rule, std::int64_t now_ms, std::vector<Notification>& out) {
  const AlertSettings& alert = rule.settings;
  const std::uint64_t count = rule.window.count_after(now_ms - alert.minutes * kMinuteMs);
  const bool holds = count > static_cast<std::uint64_t>(alert.count);
  Condition& condition = rule.conditions[std::string(kWhole)];
  const bool before = condition.told || restored_.erase(alert.id) > 0;
  condition.told = holds;
  if (holds == before) return;
  const bool events = alert.when == AlertWhen::kMatches;
  const Words what =
      events ? say(count == 1 ? "{} event" : "{} events", count)
             : say(count == 1 ? "{} request not judged whole" : "{} requests not judged whole", count);
  const Words minutes = minutes_of(alert.minutes);
  Notification told =
      holds ? about(alert, NotificationState::kBegan, now_ms, say("{}: {} in {}", alert.name, what, minutes))
            : about(alert, NotificationState::kEnded, now_ms,
                    say("{}: over, {} in the last {}", alert.name, what, minutes));
  told.add_line(say("Told above {} in {}.", alert.count, minutes));
  if (!alert.query.empty() && events) told.add_line(say("Query: {}", alert.query));
  out.push_back(std::move(told));
}

// By its name, as people know it, with the id that searches want.
std::string AlertEngine::called(FirstSeenOf of, const std::string& value) const {
  std::string name;
  if (of == FirstSeenOf::kRule && rule_names_) name = rule_names_(value);
  if (const auto site = sites_.find(value); of == FirstSeenOf::kSite && site != sites_.end())
    name = site->second;
  return name.empty() ? value : fmt::format("{} ({})", name, value);
}

void AlertEngine::tick_fresh(Rule& rule, std::int64_t now_ms, std::vector<Notification>& out) {
  if (rule.fresh_count == 0) return;
  const Words of = translated(to_string(rule.settings.of));
  for (std::string& value : rule.fresh) value = called(rule.settings.of, value);
  Notification told = about(
      rule.settings, NotificationState::kBegan, now_ms,
      rule.fresh_count == 1 ? say("{}: {} {} for the first time", rule.settings.name, of, rule.fresh[0])
                            : say("{}: {} {}s for the first time", rule.settings.name, rule.fresh_count, of));
  for (const std::string& value : rule.fresh) told.add_line({value, value});
  if (rule.fresh_count > rule.fresh.size())
    told.add_line(say("and {} more", rule.fresh_count - rule.fresh.size()));
  rule.fresh.clear();
  rule.fresh_count = 0;
  out.push_back(std::move(told));
}

void AlertEngine::tick_conditions(Rule& rule, std::int64_t now_ms, std::vector<Notification>& out) {
  const AlertSettings& alert = rule.settings;
  for (auto& [id, condition] : rule.conditions) {
    if (restored_.erase(alert.id + " " + id) > 0) condition.told = true;
    bool holds = condition.bad_since_ms != 0;
    if (alert.when == AlertWhen::kTargetDead)
      holds = holds && (condition.told || now_ms - condition.bad_since_ms >= alert.minutes * kMinuteMs);
    if (holds == condition.told) continue;
    condition.told = holds;
    const auto state = holds ? NotificationState::kBegan : NotificationState::kEnded;
    Words title;
    if (alert.when == AlertWhen::kTargetDead) {
      title = holds ? say("{}: syslog target {} gets nothing", alert.name, condition.name)
                    : say("{}: syslog target {} is well again", alert.name, condition.name);
    } else if (alert.when == AlertWhen::kGatewaySilent) {
      title = holds ? say("{}: no request at listener {} for {}", alert.name, condition.name,
                          duration(now_ms - condition.bad_since_ms))
                    : say("{}: requests at listener {} again", alert.name, condition.name);
    } else if (alert.when == AlertWhen::kNodeSilent) {
      title = holds ? say("{}: node {} has been silent for {}", alert.name, condition.name,
                          duration(now_ms - condition.bad_since_ms))
                    : say("{}: node {} tells again", alert.name, condition.name);
    } else {
      title = holds ? say("{}: the ring reaches back {} only", alert.name, condition.words)
                    : say("{}: the ring reaches back {} again", alert.name, condition.words);
    }
    Notification told = about(alert, state, now_ms, std::move(title));
    if (holds && alert.when == AlertWhen::kTargetDead) told.add_line(say("State: {}", condition.words));
    if (holds && alert.when == AlertWhen::kRingReach) told.add_line(say("Told below {} hours.", alert.hours));
    out.push_back(std::move(told));
  }
}

std::vector<Notification> AlertEngine::tick(std::int64_t now_ms) {
  std::vector<Notification> out;
  for (Rule& rule : rules_) {
    switch (rule.settings.when) {
      case AlertWhen::kMatches:
      case AlertWhen::kOverload:
        tick_window(rule, now_ms, out);
        break;
      case AlertWhen::kFirstSeen:
        tick_fresh(rule, now_ms, out);
        break;
      case AlertWhen::kTargetDead:
      case AlertWhen::kGatewaySilent:
      case AlertWhen::kRingReach:
      case AlertWhen::kNodeSilent:
        tick_conditions(rule, now_ms, out);
        break;
    }
  }
  return out;
}

bool AlertEngine::active(std::string_view id) const {
  for (const Rule& rule : rules_)
    if (rule.settings.id == id)
      return std::any_of(rule.conditions.begin(), rule.conditions.end(),
                         [](const auto& item) { return item.second.told; });
  return false;
}

boost::json::object AlertEngine::state() const {
  boost::json::array told;
  for (const Rule& rule : rules_) {
    for (const auto& [id, condition] : rule.conditions) {
      if (!condition.told) continue;
      told.emplace_back(id == kWhole && rule.settings.when != AlertWhen::kRingReach
                            ? rule.settings.id
                            : rule.settings.id + " " + id);
    }
  }
  boost::json::object spoke;
  for (const auto& [listener, ms] : spoke_ms_) spoke[listener] = ms;
  return {{"told", std::move(told)}, {"listeners", std::move(spoke)}};
}

void AlertEngine::restore(const boost::json::object& state) {
  if (const auto* told = state.if_contains("told"); told != nullptr && told->is_array())
    for (const auto& id : told->get_array())
      if (id.is_string()) restored_.emplace(id.get_string().data(), id.get_string().size());
  if (const auto* spoke = state.if_contains("listeners"); spoke != nullptr && spoke->is_object())
    for (const auto& item : spoke->get_object())
      if (item.value().is_int64()) spoke_ms_[std::string(item.key())] = item.value().get_int64();
}

}  // namespace wafd::forward
