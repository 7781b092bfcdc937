#include "detect/policy/usage_counters.h"

#include <algorithm>
#include <utility>

#include "detect/core/bytes.h"
#include "detect/policy/glob.h"

namespace wafd::detect {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

template <class Map>
void add_all(Map& to, const Map& from) {
  for (const auto& [id, hits] : from) to[id].add(hits);
}

}  // namespace

void UsageCount::add(const UsageCount& other) noexcept {
  count += other.count;
  last_s = std::max(last_s, other.last_s);
}

void SiteDay::add(const SiteDay& other) noexcept {
  requests += other.requests;
  denied += other.denied;
  monitored += other.monitored;
  uninspected += other.uninspected;
  for (std::size_t i = 0; i < would_deny.size(); ++i) would_deny[i] += other.would_deny[i];
  bodies_seen += other.bodies_seen;
  bodies_missing += other.bodies_missing;
}

SiteDay& SiteHits::on(std::int64_t day) noexcept {
  if (day < 0) return spill_;
  SiteDay& place = days_[static_cast<std::size_t>(day) % kHitDays];
  if (place.day > day) return spill_;
  if (place.day < day) {
    place = {};
    place.day = day;
  }
  return place;
}

const SiteDay* SiteHits::find(std::int64_t day) const noexcept {
  if (day < 0) return nullptr;
  const SiteDay& place = days_[static_cast<std::size_t>(day) % kHitDays];
  return place.day == day ? &place : nullptr;
}

void SiteHits::add(const SiteHits& other) noexcept {
  for (const SiteDay& day : other.days_) {
    if (day.day >= 0) on(day.day).add(day);
  }
}

void UnknownHosts::see(std::string_view host, std::int64_t now_s) {
  HostKey key(host);
  if (!is_host_pattern(key.text()) || key.text().starts_with('*')) {
    ++other;
    return;
  }
  if (const auto found = by_name_.find(key.text()); found != by_name_.end()) {
    ++found->second->count;
    found->second->last_s = std::max(found->second->last_s, now_s);
    hosts_.splice(hosts_.begin(), hosts_, found->second);
    return;
  }
  keep({std::string(key.text()), 1, now_s, now_s});
}

void UnknownHosts::keep(Host host) {
  if (hosts_.size() == kMaxUnknownHosts) {
    by_name_.erase(hosts_.back().name);
    hosts_.pop_back();
    ++forgotten;
  }
  hosts_.push_front(std::move(host));
  by_name_.emplace(hosts_.front().name, hosts_.begin());
}

void UnknownHosts::add(Host host) {
  if (!is_host_pattern(host.name)) {
    other += host.count;
    return;
  }
  const auto found = by_name_.find(host.name);
  if (found == by_name_.end()) return keep(std::move(host));
  Host& known = *found->second;
  known.count += host.count;
  known.first_s = std::min(known.first_s, host.first_s);
  known.last_s = std::max(known.last_s, host.last_s);
  hosts_.splice(hosts_.begin(), hosts_, found->second);
}

void UnknownHosts::add(const UnknownHosts& from) {
  for (auto host = from.hosts_.rbegin(); host != from.hosts_.rend(); ++host) add(*host);
  other += from.other;
  forgotten += from.forgotten;
}

void UsageCounters::count(const Request& request, const Verdict& verdict, const Decision& decision,
                          std::int64_t now_s) {
  const UsageCount once{1, now_s};
  SiteDay& day = sites[decision.site->uuid].on(now_s / kDaySeconds);
  ++day.requests;
  if (decision.action == Action::kDeny) ++day.denied;
  if (decision.action == Action::kMonitor) ++day.monitored;
  if (decision.uninspected) ++day.uninspected;
  if (!request.body.empty()) ++day.bodies_seen;
  if (request.body_abandoned) ++day.bodies_missing;
  for (std::size_t i = 0; i < day.would_deny.size(); ++i) day.would_deny[i] += decision.would_deny[i] ? 1 : 0;
  if (decision.site->uuid == kDefaultSite) unknown.see(decision.host, now_s);
  if (decision.list_entry != nullptr) lists[decision.list_entry->id].add(once);

  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const Rule* rule = verdict.findings[i].rule;
    const auto same = [rule](const Finding& finding) { return finding.rule == rule; };
    const auto end = verdict.findings.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::none_of(verdict.findings.begin(), end, same)) rules[rule->id].add(once);
  }
  for (std::size_t i = 0; i < decision.excepted.size(); ++i) {
    const ExceptionSettings* exception = decision.excepted[i].by;
    const auto same = [exception](const Excepted& other) { return other.by == exception; };
    const auto end = decision.excepted.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::none_of(decision.excepted.begin(), end, same)) exceptions[exception->id].add(once);
  }
}

void UsageCounters::add(const UsageCounters& other) {
  add_all(rules, other.rules);
  add_all(exceptions, other.exceptions);
  add_all(lists, other.lists);
  add_all(sites, other.sites);
  unknown.add(other.unknown);
}

}  // namespace wafd::detect
