// Differences between two versions of the settings, object by object, for people.
#pragma once

#include <cstddef>

#include <boost/json/array.hpp>

#include "console/settings/store.h"

namespace wafd::console {

inline constexpr std::size_t kMaxChanges = 1000;  // of objects; what is beyond is left out

// [{"collection": "targets", "id", "name", "change": "added" | "removed" | "changed", "members": [{"member",
// "before", "after"}]}] in the order sites, exceptions, lists, targets, rules, system (one object, without
// name); members only of what changed. Secrets are compared, and shown as "***".
boost::json::array settings_changes(const Settings& before, const Settings& after);

}  // namespace wafd::console
