// Cross-site scripting: markup that runs script, script that leaves what it was put in, URLs that are script.
//
// A text is read as HTML, as the inside of a tag, as a URL and as JavaScript.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_xss_matcher();

}  // namespace wafd::detect
