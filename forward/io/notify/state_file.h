// A small file of state, replaced as a whole: after a crash the old or the new is there.
#pragma once

#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd::forward {

// kMissing if there is none, kTooLarge beyond `max_bytes`.
Result<std::string> read_state_file(const std::string& path, std::size_t max_bytes);
// Written beside it (mode 0600), synced, renamed over it.
Result<void> write_state_file(const std::string& path, std::string_view bytes);

}  // namespace wafd::forward
