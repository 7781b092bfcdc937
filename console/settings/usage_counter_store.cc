#include "console/settings/usage_counter_store.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <date/date.h>
#include <fmt/format.h>

#include "console/base/status.h"
#include "files/small_file.h"

namespace wafd::console {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using Counts = std::unordered_map<std::string, detect::UsageCount>;

constexpr std::size_t kDayNumbers = 10;

object counts_json(const Counts& counts) {
  object out;
  for (const auto& [id, hits] : counts) out[id] = array{hits.count, hits.last_s};
  return out;
}

// Numbers at the front of `list`; what is no number, and no count, is 0.
template <std::size_t N>
std::array<std::int64_t, N> numbers(const value& list) {
  std::array<std::int64_t, N> out{};
  const array* items = list.if_array();
  if (items == nullptr) return out;
  for (std::size_t i = 0; i < std::min(N, items->size()); ++i) {
    boost::system::error_code error;
    const auto number = (*items)[i].to_number<std::int64_t>(error);
    if (!error && number > 0) out[i] = number;
  }
  return out;
}

const object* member(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

void read_counts(const object& from, std::string_view name, Counts& out) {
  const object* counts = member(from, name);
  if (counts == nullptr) return;
  for (const auto& item : *counts) {
    const auto [count, last] = numbers<2>(item.value());
    out[item.key()] = {static_cast<std::uint64_t>(count), last};
  }
}

array day_json(const detect::SiteDay& day) {
  return {day.day,           day.requests,      day.denied,        day.monitored,   day.uninspected,
          day.would_deny[0], day.would_deny[1], day.would_deny[2], day.bodies_seen, day.bodies_missing};
}

void read_sites(const object& from, detect::UsageCounters& out) {
  const object* sites = member(from, "sites");
  if (sites == nullptr) return;
  for (const auto& site : *sites) {
    const array* days = site.value().if_array();
    if (days == nullptr) continue;
    for (const value& item : *days) {
      const auto n = numbers<kDayNumbers>(item);
      const auto count = [&](std::size_t i) { return static_cast<std::uint64_t>(n[i]); };
      detect::SiteDay day{n[0],     count(1), count(2), count(3), count(4), {count(5), count(6), count(7)},
                          count(8), count(9)};
      out.sites[site.key()].on(day.day).add(day);
    }
  }
}

void read_unknown(const object& from, detect::UnknownHosts& out) {
  const object* unknown = member(from, "unknown");
  if (unknown == nullptr) return;
  if (const value* other = unknown->if_contains("other")) {
    const auto [count, forgotten] = numbers<2>(*other);
    out.other = static_cast<std::uint64_t>(count);
    out.forgotten = static_cast<std::uint64_t>(forgotten);
  }
  const value* hosts = unknown->if_contains("hosts");
  const array* list = hosts == nullptr ? nullptr : hosts->if_array();
  if (list == nullptr) return;
  for (const value& item : *list) {
    const array* host = item.if_array();
    if (host == nullptr || host->size() != 2 || !host->front().is_string()) continue;
    const auto [count, first, last] = numbers<3>(host->back());
    out.add({std::string(host->front().as_string()), static_cast<std::uint64_t>(count), first, last});
  }
}

std::string day_text(std::int64_t day) {
  const date::year_month_day ymd{date::sys_days{date::days{static_cast<int>(day)}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(ymd.year()), static_cast<unsigned>(ymd.month()),
                     static_cast<unsigned>(ymd.day()));
}

template <class Hits, class Items, class Id>
void keep_only(Hits& hits, const Items& items, Id id) {
  std::unordered_set<std::string_view> known;
  for (const auto& item : items) known.insert(item.*id);
  std::erase_if(hits, [&](const auto& entry) { return !known.contains(entry.first); });
}

}  // namespace

UsageCounterStore UsageCounterStore::open(const std::string& state_dir) {
  UsageCounterStore store;
  store.path_ = state_dir + "/hits.json";
  const auto bytes = read_file(store.path_, kMaxHitsBytes);
  if (!bytes) {
    if (bytes.error().code != ErrorCode::kMissing)
      store.notice_ = "hits.json cannot be read; hits are counted anew: " + bytes.error().what;
    return store;
  }
  boost::system::error_code error;
  const value document = boost::json::parse(*bytes, error);
  const object* root = error ? nullptr : document.if_object();
  if (root == nullptr) {
    store.notice_ = "hits.json is damaged; hits are counted anew";
    return store;
  }
  read_counts(*root, "rules", store.total_.rules);
  read_counts(*root, "exceptions", store.total_.exceptions);
  read_counts(*root, "lists", store.total_.lists);
  read_sites(*root, store.total_);
  read_unknown(*root, store.total_.unknown);
  return store;
}

void UsageCounterStore::add(const std::vector<detect::UsageCounters>& parts) {
  for (const detect::UsageCounters& part : parts) total_.add(part);
}

void UsageCounterStore::prune(const detect::PolicySettings& settings) {
  keep_only(total_.exceptions, settings.exceptions, &detect::ExceptionSettings::id);
  keep_only(total_.lists, settings.lists, &detect::ListEntry::id);
  detect::SiteHits fallback;  // its site need not be among the settings
  if (const auto found = total_.sites.find(std::string(detect::kDefaultSite)); found != total_.sites.end())
    fallback = found->second;
  keep_only(total_.sites, settings.sites, &detect::SiteSettings::uuid);
  total_.sites[std::string(detect::kDefaultSite)] = fallback;
}

std::string UsageCounterStore::text() const {
  object sites;
  for (const auto& [uuid, hits] : total_.sites) {
    array days;
    for (const detect::SiteDay& day : hits.days()) {
      if (day.day >= 0) days.emplace_back(day_json(day));
    }
    sites[uuid] = std::move(days);
  }
  array hosts;  // oldest first, as they are to be added again
  for (auto host = total_.unknown.hosts().rbegin(); host != total_.unknown.hosts().rend(); ++host)
    hosts.push_back(array{host->name, array{host->count, host->first_s, host->last_s}});
  object out;
  out["version"] = 1;
  out["rules"] = counts_json(total_.rules);
  out["exceptions"] = counts_json(total_.exceptions);
  out["lists"] = counts_json(total_.lists);
  out["sites"] = std::move(sites);
  out["unknown"] = {{"other", array{total_.unknown.other, total_.unknown.forgotten}},
                    {"hosts", std::move(hosts)}};
  return boost::json::serialize(out);
}

Result<void> UsageCounterStore::save(const std::string& path, const std::string& text) {
  return write_file(path, text);
}

object hits_json(const Counts& hits, const std::string& id) {
  const auto found = hits.find(id);
  const detect::UsageCount count = found == hits.end() ? detect::UsageCount{} : found->second;
  return {{"count", count.count}, {"last_s", count.last_s == 0 ? value() : value(count.last_s)}};
}

array days_json(const detect::UsageCounters& hits, const std::string& uuid) {
  const auto found = hits.sites.find(uuid);
  if (found == hits.sites.end()) return {};
  std::vector<detect::SiteDay> days;
  for (const detect::SiteDay& day : found->second.days()) {
    if (day.day >= 0) days.push_back(day);
  }
  std::sort(days.begin(), days.end(), [](const auto& a, const auto& b) { return a.day > b.day; });
  array out;
  for (const detect::SiteDay& day : days) out.emplace_back(to_json(day));
  return out;
}

object to_json(const detect::SiteDay& day) {
  object would;
  for (std::size_t i = 0; i < day.would_deny.size(); ++i)
    would[to_string(static_cast<Sensitivity>(i))] = day.would_deny[i];
  object out;
  out["day"] = day_text(day.day);
  for (const auto& member : console::to_json(SiteCounts{
           day.requests, day.denied, day.monitored, day.uninspected, day.bodies_seen, day.bodies_missing}))
    out[member.key()] = member.value();
  out["would_deny"] = std::move(would);
  return out;
}

namespace {

// They go on over restarts.
telemetry::MetricFamily family_of(std::string_view name, std::string_view help, std::string_view label,
                                  const Counts& counts) {
  std::vector<std::pair<std::uint64_t, std::string_view>> most;
  most.reserve(counts.size());
  for (const auto& [id, hits] : counts) most.emplace_back(hits.count, id);
  std::sort(most.begin(), most.end(), std::greater<>());
  most.resize(std::min(most.size(), kMaxHitSamples));
  telemetry::MetricFamily out{std::string(name), true, std::string(help)};
  out.since_start = false;
  out.samples.reserve(most.size());
  for (const auto& [count, id] : most)
    out.samples.push_back({{{std::string(label), std::string(id)}}, static_cast<double>(count)});
  return out;
}

}  // namespace

std::vector<telemetry::MetricFamily> metric_families(const detect::UsageCounters& hits) {
  telemetry::MetricFamily hosts{"wafd_unknown_hosts", false, "Hosts asked for that no site has."};
  hosts.samples.push_back({{}, static_cast<double>(hits.unknown.hosts().size())});
  return {
      family_of("wafd_rule_hits_total", "Requests in which a rule matched.", "rule", hits.rules),
      family_of("wafd_exception_hits_total", "Requests in which an exception accepted something.",
                "exception", hits.exceptions),
      family_of("wafd_list_hits_total", "Requests that an allow or deny entry decided.", "entry", hits.lists),
      std::move(hosts)};
}

}  // namespace wafd::console
