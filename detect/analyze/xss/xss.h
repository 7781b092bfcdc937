// Cross-site scripting: markup that runs script, script that leaves the string it was put in, URLs that are
// script.
//
// A value is read as HTML (tags and attributes), as the inside of a tag (handlers after a closed quote), as a
// URL and as JavaScript; rich text without anything that acts passes.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_xss_analyzer();

}  // namespace wafd::detect
