// The engine's part of the command line: `wafd inspect` and `wafd rules check`.
#pragma once

namespace CLI {
class App;
}

namespace wafd::detect {

// Registers the sub-commands on `app`. When one of them runs, it sets `exit_status` (0 done, 1 the thing
// failed, 2 wrong use); it writes results to stdout and diagnostics to stderr. `exit_status` must outlive the
// parsing.
void add_commands(CLI::App& app, int& exit_status);

}  // namespace wafd::detect
