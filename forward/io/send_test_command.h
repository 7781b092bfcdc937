// `wafd send-test`: what the console's test button does, from the shell.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "detect/core/error.h"

namespace wafd::forward {

// The daemon's configuration of messages and of the place where targets are kept.
struct SendTestSetup {
  std::string node;  // empty: the machine's host name
  std::string time_zone;
  std::string state_dir;
};
// Reads a configuration file; an empty name means the default one, which may be missing.
using ReadSetup = std::function<Result<SendTestSetup>(const std::string& file)>;

// Adds the sub-command; `status` becomes the exit status when it runs: 0 sent, 1 failed or closed, 2 usage or
// configuration.
void add_send_test_command(CLI::App& app, int& status, ReadSetup read_setup);

}  // namespace wafd::forward
