// The sub-command `wafd probe`.
#pragma once

#include <CLI/CLI.hpp>

namespace wafd::probe {

// `exit_status`: 0 nothing is wrong, 1 something is, 2 wrong use or no answer.
void add_commands(CLI::App& app, int& exit_status);

}  // namespace wafd::probe
