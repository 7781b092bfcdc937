// `wafd send-test`: what the console's test button does, from the shell.
#pragma once

#include <CLI/CLI.hpp>

namespace wafd::forward {

// Adds the sub-command; `status` becomes the exit status when it runs.
void add_send_test_command(CLI::App& app, int& status);

}  // namespace wafd::forward
