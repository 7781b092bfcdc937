// File inclusion: stream wrappers, file: URLs and remote scripts where an application expects a file name.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_file_inclusion_analyzer();

}  // namespace wafd::detect
