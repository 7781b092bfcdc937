// `wafd receive`: a small syslog receiver for demonstrations and tests.
#pragma once

#include <CLI/CLI.hpp>

namespace wafd::forward {

// Adds the sub-command; `status` becomes the exit status when it runs.
void add_receive_command(CLI::App& app, int& status);

}  // namespace wafd::forward
