// Runs an admin command wherever that is possible: in the daemon if one runs, else here with the state folder
// locked.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "detect/core/error.h"

namespace wafd::console {

// The command's answer (console/admin.h), without `ok`. Makes the state folder if it is missing. A daemon
// that is starting (lock taken, socket not there yet) is waited for, 10 s at most.
Result<boost::json::object> run_command(const std::string& state_dir, const boost::json::object& command);

}  // namespace wafd::console
