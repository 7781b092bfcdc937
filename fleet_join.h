// `wafd fleet join`: makes this node one of a fleet whose settings are in a database; `wafd fleet key` makes
// the key of their secrets.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "detect/core/error.h"

namespace wafd {

// Behind forward::add_commands(), whose sub-command `fleet` gets them.
void add_fleet_join(CLI::App& app, int& exit_status);

// Keys of the configuration with their texts, "fleet.database" among them, as members of wafd.json.
using ConfigMembers = std::vector<std::pair<std::string, std::string>>;
std::string members_text(const ConfigMembers& members);
// The text of a configuration with them in front, all else as it was, comments too; kConflict: their groups
// are there already.
Result<std::string> with_members(std::string_view text, const ConfigMembers& members);

}  // namespace wafd
