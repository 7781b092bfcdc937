// File upload: names that make a server run what is stored, and content that is code whatever its name says.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_file_upload_analyzer();

}  // namespace wafd::detect
