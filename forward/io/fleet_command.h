// `wafd fleet`: the database of many nodes, from the shell.
#pragma once

#include <CLI/CLI.hpp>

namespace wafd::forward {

// Adds `fleet init URL`, `fleet roles` and `fleet events URL QUERY`; `status` becomes the exit status when
// one runs: 0 done, 1 failed, 2 usage.
void add_fleet_command(CLI::App& app, int& status);

}  // namespace wafd::forward
