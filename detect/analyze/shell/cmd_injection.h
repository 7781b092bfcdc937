// Command injection: a value that, put into a command line, runs a command of its own.
//
// The value is split as shells do, as it stands and after closing a quote of each kind. A command counts by
// what it is and by the arguments it has, because most command names are words too; in prose only telling
// arguments count.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_cmd_injection_analyzer();

}  // namespace wafd::detect
