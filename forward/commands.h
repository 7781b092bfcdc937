// The sub-commands of wafd that belong to forwarding: receive, send-test, events, fleet.
#pragma once

#include <CLI/CLI.hpp>

namespace wafd::forward {

// `status` becomes the exit status of the one that runs.
void add_commands(CLI::App& app, int& status);

}  // namespace wafd::forward
