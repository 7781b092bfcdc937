// `wafd doctor` and `wafd health`: facts from the configuration, the machine and the daemon, and what they
// mean.
#pragma once

#include <string>

#include "config.h"

namespace wafd {

// Prints findings to standard output; the exit status of doctor::exit_status. A configuration that could not
// be read is a finding, and the rest is looked at with defaults, and `state_dir` if it is not empty.
int run_doctor(const Result<Config>& config, const std::string& state_dir, bool as_json);

// 0: ready. 1: not, with a line on standard error.
int run_health(const Config& config);

}  // namespace wafd
