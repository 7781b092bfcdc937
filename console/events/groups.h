// Events in groups: by source, by what each source tries (source, rule, host), and by what may need tuning
// (rule, host, path, parameter).
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "console/events/action_counts.h"
#include "console/events/group_facts.h"
#include "console/events/search.h"
#include "detect/core/event_id.h"

namespace wafd::console {

enum class GroupBy : std::uint8_t { kSources, kAttackers, kTuning };
std::optional<GroupBy> parse_group_by(std::string_view) noexcept;  // "sources" | "attackers" | "tuning"
const char* to_string(GroupBy) noexcept;

// Sources, attacks and rules told apart within one group; more are not.
inline constexpr std::size_t kMaxDistinctInGroup = 10'000;

struct GroupRow {
  // Of the newest event; `name` is that of the parameter in which the deciding finding stood.
  std::string rule, host, path, name, src, country, type;
  EventId id;
  std::string risk;  // the highest
  ActionCounts actions;
  std::int64_t first_ms = 0, last_ms = 0;
  std::uint64_t sources = 0, attacks = 0, days = 0, other_rules = 0;
};

struct GroupsAnswer {
  std::uint64_t total = 0, distinct = 0;
  std::uint64_t unread = 0;  // matches that are missing from it
  std::vector<GroupRow> rows;
};

// {"by","total","distinct","unread","groups":[…]}
std::string groups_json(const GroupsAnswer& groups, GroupBy by);

// The same of a ring, the largest first. Reads every match: not for a loop.
std::string group_events(const forward::Ring& ring, const EventFilter& filter, GroupBy by, std::size_t limit);

// The same without reading a record twice: what grouping needs of each is kept beside the ring (32 bytes), so
// that a search which heads decide counts in memory alone. What was never read yet is read in steps, one a
// call, the newest first: "unread" says how many matches are missing from the answer, and the next call goes
// on there. Other searches are those of group_events().
class GroupIndex {
 public:
  static constexpr std::size_t kRecordsAStep = 20'000;
  static constexpr std::size_t kMaxRecords = 2'000'000;  // older ones stay unread

  explicit GroupIndex(std::size_t records_a_step = kRecordsAStep) : records_a_step_(records_a_step) {}

  // Any thread; one after the other. Always of the same ring.
  std::string groups(const forward::Ring& ring, const EventFilter& filter, GroupBy by, std::size_t limit);

 private:
  void read_step(forward::RingReader& reader, const forward::Ring& ring, const EventFilter& filter);
  void read_newer(forward::RingReader& reader, std::uint64_t end, std::size_t& room);
  void read_older(forward::RingReader& reader, std::uint64_t lowest, const EventFilter& filter,
                  std::size_t room);

  const std::size_t records_a_step_;
  std::mutex mutex_;
  RuleSets rule_sets_;
  std::uint64_t begin_ = 0;  // sequence of the first of `facts_`
  std::deque<GroupFacts> facts_;
};

}  // namespace wafd::console
