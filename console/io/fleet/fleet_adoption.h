// A node's side of the settings of its fleet: begins with the last version it had, puts newer ones in use,
// says why it cannot use one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "console/io/fleet/fleet_settings.h"
#include "console/settings/check_targets.h"

namespace wafd::console {

// One line for people of a look that brought no version; empty if all is well.
std::string fleet_notice(const FleetSettingsNews& news, std::uint64_t used);

// Puts the version of `news` in use, judged as `wafd settings apply` judges a file. An error is in
// settings.notice(), too.
Result<void> use_fleet_version(SettingsStore& settings, FleetSettingsNews& news,
                               const CheckTarget& check_files);

// Before anything runs: the last copy, or, on a first start, what the fleet has. A database that is away
// stops nothing.
Result<void> begin_with_fleet(SettingsStore& settings, const std::string& copy, FleetSettings& fleet,
                              const std::function<void(const std::string&)>& log);

}  // namespace wafd::console
