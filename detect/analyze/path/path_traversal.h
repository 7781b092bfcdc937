// Path traversal: a value or request path that climbs out of its folder or names a file of the system.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_path_traversal_analyzer();

}  // namespace wafd::detect
