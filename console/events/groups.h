// Events in groups: by who attacks (source, rule, host) and by what may need tuning (rule, host, path,
// parameter).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "console/events/search.h"

namespace wafd::console {

enum class GroupBy : std::uint8_t { kAttackers, kTuning };
std::optional<GroupBy> parse_group_by(std::string_view) noexcept;  // "attackers" | "tuning"

// Groups beyond this are counted in the total alone.
inline constexpr std::size_t kMaxGroups = 20'000;
// Sources and rules told apart within one group; more are not.
inline constexpr std::size_t kMaxDistinctInGroup = 10'000;

// {"by","total","distinct","groups":[…]}, the largest first. Reads every match: not for a loop.
std::string group_events(const forward::Ring& ring, const EventFilter& filter, GroupBy by, std::size_t limit);

// From a detail block, without making a tree of it: the name of the finding that decided, raw JSON text
// inside the quotes, empty if there is none. Quotes inside JSON strings are escaped, so a member's name with
// its quotes is that member.
std::string_view deciding_name(std::string_view detail) noexcept;

}  // namespace wafd::console
