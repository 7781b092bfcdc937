#include "forward/trend/trend_counts.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace wafd::forward {
namespace {

constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kMostHourlyMs = 8 * kDayMs;
constexpr std::int64_t kMaxSpanMs = 366 * kDayMs;

bool same(const TrendEntry& a, const TrendEntry& b) {
  return a.site == b.site && a.rule == b.rule && a.type == b.type && a.action == b.action;
}

void count(TrendHour& hour, TrendEntry entry, std::size_t most) {
  const auto found = std::find_if(hour.entries.begin(), hour.entries.end(),
                                  [&](const TrendEntry& one) { return same(one, entry); });
  if (found != hour.entries.end()) {
    if (found->count < std::numeric_limits<std::uint32_t>::max()) ++found->count;
    return;
  }
  if (hour.entries.size() < most) {
    entry.count = 1;
    hour.entries.push_back(entry);
    return;
  }
  if (entry.type == TrendEntry::kOtherType) return;
  // Each action has a place behind the others, so this ends here.
  count(hour, {0, 0, TrendEntry::kOtherType, entry.action, 0}, most + kActions);
}

std::string type_name(std::uint8_t type) {
  return type < kAttackTypes ? to_string(static_cast<AttackType>(type)) : std::string();
}

}  // namespace

void TrendCounts::set(std::vector<std::string> names, std::map<std::int64_t, TrendHour> hours) {
  names_ = std::move(names);
  hours_ = std::move(hours);
  indices_.clear();
  for (std::size_t i = 0; i < names_.size(); ++i) indices_.emplace(names_[i], static_cast<std::uint16_t>(i));
}

std::uint16_t TrendCounts::index_of(std::string_view name) {
  constexpr std::size_t kMaxNameBytes = 255;
  const std::string key(name.substr(0, kMaxNameBytes));
  if (const auto found = indices_.find(key); found != indices_.end()) return found->second;
  if (names_.size() >= kMaxNames) return 0;
  names_.push_back(key);
  return indices_.emplace(key, static_cast<std::uint16_t>(names_.size() - 1)).first->second;
}

TrendHour& TrendCounts::hour_at(std::int64_t time_ms) {
  TrendHour& hour = hours_[std::max<std::int64_t>(time_ms, 0) / kHourMs];
  while (hours_.size() > kHours && &hours_.begin()->second != &hour) hours_.erase(hours_.begin());
  return hour;
}

void TrendCounts::add(const RecordView& record) {
  const TrendEntry entry{index_of(record.site_uuid), index_of(record.rule_id),
                         static_cast<std::uint8_t>(record.attack_type),
                         static_cast<std::uint8_t>(record.action), 0};
  count(hour_at(record.time_ms), entry, kMaxEntries);
}

void TrendCounts::add_requests(std::int64_t time_ms, std::uint64_t requests, std::uint64_t unjudged) {
  if (requests == 0 && unjudged == 0) return;
  TrendHour& hour = hour_at(time_ms);
  hour.requests += requests;
  hour.unjudged += unjudged;
}

TrendSums TrendCounts::sums(const TrendQuery& query) const {
  TrendSums out;
  if (!hours_.empty()) out.begins_ms = hours_.begin()->first * kHourMs;
  const std::int64_t to = std::max<std::int64_t>(query.to_ms, 0) / kHourMs;
  const std::int64_t from =
      std::max(std::max<std::int64_t>(query.from_ms, 0) / kHourMs, to - kMaxSpanMs / kHourMs);
  if ((to - from) * kHourMs > kMostHourlyMs) out.bucket_ms = kDayMs;
  const std::int64_t hours_in_bucket = out.bucket_ms / kHourMs;
  for (std::int64_t hour = from; hour < to; hour += hours_in_bucket)
    out.buckets.push_back({hour * kHourMs, 0, {}});
  const auto wanted = [](const std::string& filter, const std::string& value) {
    return filter.empty() || filter == value;
  };
  for (auto at = hours_.lower_bound(from); at != hours_.end() && at->first < to; ++at) {
    TrendSums::Bucket& bucket = out.buckets[static_cast<std::size_t>((at->first - from) / hours_in_bucket)];
    bucket.requests += at->second.requests;
    out.requests += at->second.requests;
    out.unjudged += at->second.unjudged;
    for (const TrendEntry& entry : at->second.entries) {
      const std::string &site = names_[entry.site], &rule = names_[entry.rule];
      const std::string type = type_name(entry.type);
      if (!wanted(query.site, site) || !wanted(query.rule, rule) || !wanted(query.type, type) ||
          !wanted(query.action, to_string(static_cast<Action>(entry.action))))
        continue;
      bucket.events[entry.action] += entry.count;
      out.events[entry.action] += entry.count;
      out.sites[site][entry.action] += entry.count;
      out.rules[rule][entry.action] += entry.count;
      out.types[type][entry.action] += entry.count;
    }
  }
  return out;
}

}  // namespace wafd::forward
