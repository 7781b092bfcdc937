// Runs an admin command wherever that is possible: in the daemon if one runs, else here with the state folder
// locked.
#pragma once

#include <functional>
#include <string>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "forward/target/target_settings.h"

namespace wafd::console {

// The command's answer (console/api/admin.h), without `ok`. Makes the state folder if it is missing. A daemon
// that is starting (lock taken, socket not there yet) is waited for, 10 s at most.
// `check_target` judges targets where no daemon does; an empty one lets all pass.
Result<boost::json::object> run_command(
    const std::string& state_dir, const boost::json::object& command,
    const std::function<Result<void>(const forward::TargetSettings&)>& check_target = {});

}  // namespace wafd::console
