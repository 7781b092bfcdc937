// Checks of targets that come all at once, from a file or from a fleet: what the API checks of each beyond
// its own members.
#pragma once

#include <functional>

#include "console/settings/store.h"

namespace wafd::console {

using CheckTarget = std::function<Result<void>(const forward::TargetSettings&)>;

// `check_files` (may be empty) is asked of what `present` has otherwise: what is in use goes on, whatever
// became of its certificates. The addresses of names are judged when they are connected to.
Result<void> check_targets(const Settings& next, const Settings& present, const CheckTarget& check_files);

}  // namespace wafd::console
