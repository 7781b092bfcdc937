// The sub-commands of wafd that belong to the console: user, token, settings.
#pragma once

#include <CLI/CLI.hpp>

namespace wafd::console {

// `exit_status` becomes the exit status of the one that runs. They work while the daemon runs (over its admin
// socket) and while it does not (with the lock of the state folder).
void add_commands(CLI::App& app, int& exit_status);

}  // namespace wafd::console
