#include "console/events/groups.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/events/action_counts.h"
#include "console/events/flat_json.h"
#include "console/events/scan.h"
#include "detect/core/verdict.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;
constexpr std::string_view kRuleMember = R"({"rule_id":")";
constexpr std::string_view kNameMember = R"("name":")";

// The raw text of the string that begins at `at`.
std::string_view string_at(std::string_view json, std::size_t at) noexcept {
  const std::size_t begin = at;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return json.substr(begin, std::min(at, json.size()) - begin);
}

struct Group {
  ActionCounts actions;
  std::int64_t first_ms = INT64_MAX;
  std::int64_t last_ms = 0;
  std::string event_id;  // the newest
  AttackType attack_type = AttackType::kCustom;
  Risk risk = Risk::kLow;
  std::unordered_set<std::size_t> sources;
  std::unordered_set<std::size_t> other_rules;
  std::set<std::int64_t> days;
  std::int64_t last_day = -1;  // the last that was put into it
};

void add_digest(std::unordered_set<std::size_t>& digests, std::string_view text) {
  if (digests.size() < kMaxDistinctInGroup) digests.insert(std::hash<std::string_view>{}(text));
}

void add(Group& group, const forward::RecordView& record, GroupBy by) {
  if (group.actions.total() == 0) {  // newest first
    group.event_id = record.id.text();
    group.attack_type = record.attack_type;
  }
  group.risk = std::max(group.risk, record.risk);
  group.actions.add(record.action);
  group.first_ms = std::min(group.first_ms, record.time_ms);
  group.last_ms = std::max(group.last_ms, record.time_ms);
  if (const std::int64_t day = record.time_ms / kDayMs; day != group.last_day) {
    group.last_day = day;
    group.days.insert(day);
  }
  if (by == GroupBy::kTuning || group.sources.empty()) add_digest(group.sources, record.src_ip);
  for (std::size_t at = record.detail.find(kRuleMember); at != std::string_view::npos;
       at = record.detail.find(kRuleMember, at)) {
    at += kRuleMember.size();
    const std::string_view rule = string_at(record.detail, at);
    if (rule != record.rule_id) add_digest(group.other_rules, rule);
  }
}

std::string unquoted(std::string_view raw) {
  std::string quoted = "\"";
  quoted += raw;
  quoted += '"';
  return plain_text(quoted);
}

// Host and path of a record in one walk over it, as raw JSON.
struct Place {
  std::string_view host;
  std::string_view path;
};

Place place_of(std::string_view json, GroupBy by) noexcept {
  FlatJson members(json);
  Place place;
  std::string_view name;
  std::string_view value;
  while (members.next(name, value)) {
    if (name == "host")
      place.host = value;
    else if (name == "urlpath")
      place.path = value;
    if (!place.host.empty() && (by == GroupBy::kAttackers || !place.path.empty())) break;
  }
  return place;
}

// The parts of a group's key, joined with a byte that no raw JSON holds. Texts stay as they are escaped:
// one writer made them all, so equal texts look equal.
void write_key(const forward::RecordView& record, GroupBy by, std::string& key) {
  const Place place = place_of(record.json, by);
  key.assign(record.rule_id);
  key += '\0';
  key += place.host;
  key += '\0';
  if (by == GroupBy::kAttackers) {
    key += record.src_ip;
  } else {
    key += place.path;
    key += '\0';
    key += deciding_name(record.detail);
  }
}

std::vector<std::string_view> parts_of(std::string_view key) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = key.find('\0');
    parts.push_back(key.substr(0, end));
    if (end == std::string_view::npos) return parts;
    key.remove_prefix(end + 1);
  }
}

boost::json::object row(const std::string& key, const Group& group, GroupBy by) {
  const auto parts = parts_of(key);
  boost::json::object out;
  out["rule"] = parts[0];
  out["host"] = plain_text(parts[1]);
  if (by == GroupBy::kAttackers) {
    out["src"] = parts[2];
  } else {
    out["path"] = plain_text(parts[2]);
    out["name"] = parts.size() > 3 ? unquoted(parts[3]) : std::string();
  }
  out["type"] = to_string(group.attack_type);
  out["risk"] = to_string(group.risk);
  out["count"] = group.actions.total();
  out["deny"] = group.actions.deny;
  out["monitor"] = group.actions.monitor;
  out["allow"] = group.actions.allow;
  out["first_ms"] = group.first_ms;
  out["last_ms"] = group.last_ms;
  out["sources"] = group.sources.size();
  out["days"] = group.days.size();
  out["other_rules"] = group.other_rules.size();
  out["event_id"] = group.event_id;
  return out;
}

}  // namespace

std::optional<GroupBy> parse_group_by(std::string_view text) noexcept {
  if (text == "attackers") return GroupBy::kAttackers;
  if (text == "tuning") return GroupBy::kTuning;
  return std::nullopt;
}

std::string_view deciding_name(std::string_view detail) noexcept {
  constexpr std::string_view kWeightiest = R"("weightiest":)";
  const std::size_t begin = detail.find(kWeightiest);
  std::size_t index = 0;
  if (begin != std::string_view::npos) {
    const char* first = detail.data() + begin + kWeightiest.size();
    if (std::from_chars(first, detail.data() + detail.size(), index).ec != std::errc()) return {};
  }
  std::size_t at = detail.find(kRuleMember);
  for (; index > 0 && at != std::string_view::npos; --index) at = detail.find(kRuleMember, at + 1);
  if (at == std::string_view::npos) return {};
  const std::size_t name = detail.find(kNameMember, at);
  if (name == std::string_view::npos || name > detail.find(kRuleMember, at + 1)) return {};
  return string_at(detail, name + kNameMember.size());
}

std::string group_events(const forward::Ring& ring, const EventFilter& filter, GroupBy by,
                         std::size_t limit) {
  std::unordered_map<std::string, Group> groups;
  std::uint64_t total = 0;
  forward::RingReader reader(ring);
  std::string key;
  scan_all(reader, filter, ring.end(), [&](const forward::RecordView& record) {
    ++total;
    write_key(record, by, key);
    auto found = groups.find(key);
    if (found == groups.end()) {
      if (groups.size() >= kMaxGroups) return true;
      found = groups.emplace(key, Group{}).first;
    }
    add(found->second, record, by);
    return true;
  });
  boost::json::array rows;
  for (const auto* item : most_first(groups, limit)) rows.emplace_back(row(item->first, item->second, by));
  boost::json::object answer;
  answer["by"] = by == GroupBy::kAttackers ? "attackers" : "tuning";
  answer["total"] = total;
  answer["distinct"] = groups.size();
  answer["groups"] = std::move(rows);
  return boost::json::serialize(answer);
}

}  // namespace wafd::console
