// Server-side template injection: expressions between a template engine's delimiters that compute, reach or
// call.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_ssti_analyzer();

}  // namespace wafd::detect
