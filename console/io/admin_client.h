// A command's end of `admin.sock`.
#pragma once

#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd::console {

// Sends a line and waits up to 30 s for the answer's. kMissing: nobody listens there.
Result<std::string> ask_daemon(const std::string& state_dir, std::string_view line);

}  // namespace wafd::console
