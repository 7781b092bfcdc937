// Every built-in analyser, in the order in which they look at a text.
#pragma once

#include <memory>
#include <vector>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

// At most 63 (the prefilter keeps one bit each). A new one is added in analyzers.cc and nowhere else.
std::vector<std::unique_ptr<Analyzer>> all_analyzers();

}  // namespace wafd::detect
