// `wafd events`: reads the ring from a terminal or a script, whether the daemon runs or not.
#pragma once

#include <CLI/CLI.hpp>

namespace wafd::forward {

void add_events_command(CLI::App& app, int& status);

}  // namespace wafd::forward
