// `wafd run`: constructs everything in the order of the flow, waits for signals, takes it down in reverse.
#pragma once

#include "config.h"

namespace wafd {

// Returns the exit status: 0 after SIGTERM or SIGINT, 1 when something cannot be opened, 2 for a
// configuration that only trying shows to be wrong.
int run_daemon(const Config& config);

}  // namespace wafd
