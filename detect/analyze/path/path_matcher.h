// Path traversal: paths that climb out of the folder where they begin, or name files of the system.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_path_matcher();

}  // namespace wafd::detect
