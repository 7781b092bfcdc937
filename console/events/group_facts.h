// The facts of one record that grouping needs, small enough to be kept for each record of a ring.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forward/ring/ring.h"

namespace wafd::console {

// Digests stand for texts: who wants to show a group reads the texts from one of its records.
struct GroupFacts {
  std::uint64_t attacker = 0;     // of source, rule and host
  std::uint64_t tuning = 0;       // of rule, host, path and parameter
  std::uint64_t source = 0;       // of the source alone
  std::uint32_t other_rules = 0;  // RuleSets id of the rules with findings beside the one that decided
};

// Sets of rules, as digests, each kept once under a number: few sets are common to many records. 0: the empty
// set, and every set beyond kMaxSets.
class RuleSets {
 public:
  static constexpr std::size_t kMaxSets = 100'000;

  std::uint32_t id_of(std::vector<std::uint64_t> digests);  // sorted or not, with repetitions or not
  const std::vector<std::uint64_t>& of(std::uint32_t id) const { return sets_[id]; }

 private:
  std::vector<std::vector<std::uint64_t>> sets_{1};
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;
};

GroupFacts facts_of(const forward::RecordView& record, RuleSets& rule_sets);

// The texts of a group, read from one of its records.
struct GroupTexts {
  std::string host;
  std::string path;
  std::string name;     // of the parameter in which the finding stood that decided
  std::string country;  // of the source, as the record has it
};
GroupTexts texts_of(const forward::RecordView& record);

// From a detail block, without making a tree of it: the name of the finding that decided, raw JSON text
// inside the quotes, empty if there is none. Quotes inside JSON strings are escaped, so a member's name with
// its quotes is that member.
std::string_view deciding_name(std::string_view detail) noexcept;

}  // namespace wafd::console
