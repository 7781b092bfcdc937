#include "console/events/groups.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "console/events/action_counts.h"
#include "console/events/scan.h"
#include "detect/core/verdict.h"

namespace wafd::console {
namespace {

constexpr std::int64_t kDayMs = 24ll * 3600 * 1000;
// A batch small enough that it stays in the processor's cache.
constexpr std::size_t kRecordsATurn = 256;
constexpr std::size_t kBytesATurn = 512u << 10;

// One event to be grouped.
struct Match {
  std::uint64_t seq = 0;
  std::int64_t time_ms = 0;
  Risk risk = Risk::kLow;
  Action action = Action::kAllow;
  GroupFacts facts;

  std::uint64_t key(GroupBy by) const noexcept {
    switch (by) {
      case GroupBy::kSources:
        return facts.source;
      case GroupBy::kAttackers:
        return facts.attacker;
      case GroupBy::kTuning:
        return facts.tuning;
    }
    return 0;
  }
};
// Gives every match, the same ones each time.
using EachMatch = std::function<void(const std::function<void(const Match&)>&)>;

// How large a group is: known of all of them.
struct Size {
  std::uint64_t key = 0;
  std::uint64_t count = 0;
  std::uint64_t newest = 0;  // sequence
};

// The rest: known of those that are shown.
struct Group {
  ActionCounts actions;
  std::int64_t first_ms = INT64_MAX;
  std::int64_t last_ms = 0;
  Risk risk = Risk::kLow;
  std::unordered_set<std::uint64_t> sources;
  std::unordered_set<std::uint64_t> attacks;  // pairs of rule and host, of each source
  std::unordered_set<std::uint64_t> other_rules;
  std::uint32_t last_rules = 0;  // the last set that was put into them
  std::set<std::int64_t> days;
  std::int64_t last_day = -1;  // the last that was put into it
};

void add(Group& group, const Match& match, const RuleSets& rule_sets) {
  group.risk = std::max(group.risk, match.risk);
  group.actions.add(match.action);
  group.first_ms = std::min(group.first_ms, match.time_ms);
  group.last_ms = std::max(group.last_ms, match.time_ms);
  if (const std::int64_t day = match.time_ms / kDayMs; day != group.last_day) {
    group.last_day = day;
    group.days.insert(day);
  }
  if (group.sources.size() < kMaxDistinctInGroup) group.sources.insert(match.facts.source);
  if (group.attacks.size() < kMaxDistinctInGroup) group.attacks.insert(match.facts.attacker);
  if (match.facts.other_rules == group.last_rules) return;
  group.last_rules = match.facts.other_rules;
  for (const std::uint64_t rule : rule_sets.of(match.facts.other_rules))
    if (group.other_rules.size() < kMaxDistinctInGroup) group.other_rules.insert(rule);
}

struct Sizes {
  std::uint64_t total = 0;
  std::uint64_t distinct = 0;
  std::vector<Size> largest;  // those of equal size with the newest event first
};

// By sorting: where most groups have one event, a table of them all takes several times as long.
Sizes sizes_of(const EachMatch& each, GroupBy by, std::size_t limit) {
  struct Keyed {
    std::uint64_t key;
    std::uint64_t seq;
  };
  std::vector<Keyed> matches;
  each([&](const Match& match) { matches.push_back({match.key(by), match.seq}); });
  std::sort(matches.begin(), matches.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
  Sizes sizes;
  sizes.total = matches.size();
  for (const Keyed& match : matches) {
    if (sizes.largest.empty() || sizes.largest.back().key != match.key) sizes.largest.push_back({match.key});
    Size& size = sizes.largest.back();
    size.newest = std::max(size.newest, match.seq);
    ++size.count;
  }
  sizes.distinct = sizes.largest.size();
  const std::size_t shown = std::min(limit, sizes.largest.size());
  std::partial_sort(sizes.largest.begin(), sizes.largest.begin() + static_cast<std::ptrdiff_t>(shown),
                    sizes.largest.end(), [](const Size& a, const Size& b) {
                      return a.count != b.count ? a.count > b.count : a.newest > b.newest;
                    });
  sizes.largest.resize(shown);
  return sizes;
}

GroupRow row_of(const forward::RecordView& newest, const Group& group) {
  const GroupTexts texts = texts_of(newest);
  GroupRow out;
  out.rule = newest.rule_id;
  out.host = texts.host;
  out.path = texts.path;
  out.name = texts.name;
  out.src = newest.src_ip;
  out.country = texts.country;
  out.type = to_string(newest.attack_type);
  out.risk = to_string(group.risk);
  out.id = newest.id;
  out.actions = group.actions;
  out.first_ms = group.first_ms;
  out.last_ms = group.last_ms;
  out.sources = group.sources.size();
  out.attacks = group.attacks.size();
  out.days = group.days.size();
  out.other_rules = group.other_rules.size();
  return out;
}

boost::json::object row_json(const GroupRow& row, GroupBy by) {
  boost::json::object out;
  out["rule"] = row.rule;
  out["host"] = row.host;
  if (by == GroupBy::kTuning) {
    out["path"] = row.path;
    out["name"] = row.name;
  } else {
    out["src"] = row.src;
    out["country"] = row.country;
  }
  out["attacks"] = row.attacks;
  out["type"] = row.type;
  out["risk"] = row.risk;
  out["count"] = row.actions.total();
  out["deny"] = row.actions.deny;
  out["monitor"] = row.actions.monitor;
  out["allow"] = row.actions.allow;
  out["first_ms"] = row.first_ms;
  out["last_ms"] = row.last_ms;
  out["sources"] = row.sources;
  out["days"] = row.days;
  out["other_rules"] = row.other_rules;
  out["event_id"] = row.id.text();
  return out;
}

// `unread` is what `each` says it left out.
std::string answer_of(forward::RingReader& reader, const EachMatch& each, const RuleSets& rule_sets,
                      GroupBy by, std::size_t limit, const std::uint64_t& unread) {
  const Sizes sizes = sizes_of(each, by, limit);
  std::unordered_map<std::uint64_t, Group> groups;
  for (const Size& size : sizes.largest) groups.emplace(size.key, Group{});
  each([&](const Match& match) {
    const auto found = groups.find(match.key(by));
    if (found != groups.end()) add(found->second, match, rule_sets);
  });
  GroupsAnswer answer{sizes.total, sizes.distinct, unread, {}};
  for (const Size& size : sizes.largest) {
    const auto records = reader.read_before(size.newest + 1, 1, 1);
    if (records.empty() || records[0].seq != size.newest) continue;  // overtaken meanwhile
    answer.rows.push_back(row_of(records[0], groups.at(size.key)));
  }
  return groups_json(answer, by);
}

}  // namespace

std::string groups_json(const GroupsAnswer& groups, GroupBy by) {
  boost::json::array rows;
  for (const GroupRow& row : groups.rows) rows.emplace_back(row_json(row, by));
  boost::json::object answer;
  answer["by"] = to_string(by);
  answer["total"] = groups.total;
  answer["distinct"] = groups.distinct;
  answer["unread"] = groups.unread;
  answer["groups"] = std::move(rows);
  return boost::json::serialize(answer);
}

const char* to_string(GroupBy by) noexcept {
  switch (by) {
    case GroupBy::kSources:
      return "sources";
    case GroupBy::kAttackers:
      return "attackers";
    case GroupBy::kTuning:
      return "tuning";
  }
  return "";
}

std::optional<GroupBy> parse_group_by(std::string_view text) noexcept {
  if (text == "sources") return GroupBy::kSources;
  if (text == "attackers") return GroupBy::kAttackers;
  if (text == "tuning") return GroupBy::kTuning;
  return std::nullopt;
}

std::string group_events(const forward::Ring& ring, const EventFilter& filter, GroupBy by,
                         std::size_t limit) {
  std::vector<Match> matches;
  RuleSets rule_sets;
  forward::RingReader reader(ring);
  scan_all(reader, filter, ring.end(), [&](const forward::RecordView& record) {
    matches.push_back({record.seq, record.time_ms, record.risk, record.action, facts_of(record, rule_sets)});
    return true;
  });
  const auto each = [&matches](const auto& take) {
    for (const Match& match : matches) take(match);
  };
  return answer_of(reader, each, rule_sets, by, limit, 0);
}

std::string GroupIndex::groups(const forward::Ring& ring, const EventFilter& filter, GroupBy by,
                               std::size_t limit) {
  if (!filter.head_only()) return group_events(ring, filter, by, limit);
  const std::lock_guard lock(mutex_);
  forward::RingReader reader(ring);
  read_step(reader, ring, filter);
  std::uint64_t unread = 0;
  const std::uint64_t end = ring.end();
  const auto each = [&](const auto& take) {
    unread = 0;
    visit_matching_heads(reader, filter, end, [&](const forward::RecordHead& head) {
      if (head.seq < begin_ || head.seq - begin_ >= facts_.size())
        ++unread;
      else
        take({head.seq, head.time_ms, head.risk, head.action, facts_[head.seq - begin_]});
      return true;
    });
  };
  return answer_of(reader, each, rule_sets_, by, limit, unread);
}

void GroupIndex::read_step(forward::RingReader& reader, const forward::Ring& ring,
                           const EventFilter& filter) {
  const std::uint64_t end = ring.end();
  const std::uint64_t oldest = ring.oldest();
  while (!facts_.empty() && begin_ < oldest) {
    facts_.pop_front();
    ++begin_;
  }
  if (facts_.empty()) begin_ = end;
  std::size_t room = records_a_step_;
  read_newer(reader, end, room);
  read_older(reader, lowest_sequence(reader, filter), filter, room);
}

void GroupIndex::read_newer(forward::RingReader& reader, std::uint64_t end, std::size_t& room) {
  reader.seek(begin_ + facts_.size());
  while (room > 0 && begin_ + facts_.size() < end) {
    std::uint64_t overtaken = 0;
    const auto records = reader.read(std::min(room, kRecordsATurn), kBytesATurn, overtaken);
    if (records.empty()) return;
    for (const forward::RecordView& record : records) {
      facts_.resize(record.seq - begin_);  // sequences that nothing is left of
      facts_.push_back(facts_of(record, rule_sets_));
    }
    room -= records.size();
  }
  while (facts_.size() > kMaxRecords) {
    facts_.pop_front();
    ++begin_;
  }
}

void GroupIndex::read_older(forward::RingReader& reader, std::uint64_t lowest, const EventFilter& filter,
                            std::size_t room) {
  while (room > 0 && begin_ > lowest && facts_.size() < kMaxRecords && !filter.stopped()) {
    const auto records = reader.read_before(begin_, std::min(room, kRecordsATurn), kBytesATurn);
    if (records.empty()) return;
    for (const forward::RecordView& record : records) {
      for (; begin_ > record.seq + 1; --begin_) facts_.emplace_front();  // nothing is left of them
      facts_.push_front(facts_of(record, rule_sets_));
      begin_ = record.seq;
    }
    room -= records.size();
  }
}

}  // namespace wafd::console
