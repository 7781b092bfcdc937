// PHP code injection: open tags, calls of PHP functions, request variables, calls through strings and
// variables.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_php_injection_analyzer();

}  // namespace wafd::detect
