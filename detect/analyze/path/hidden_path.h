// Information leak: request paths to hidden folders and to copies that editors, tools and databases leave
// behind.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_hidden_path_analyzer();

}  // namespace wafd::detect
