// PHP in a text: open tags, and code without a tag as it lands in eval(), in a string of code or in a
// setting. PHP manual: "Basic syntax", "Functions", "Variables", "List of php.ini directives".
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_php_matcher();

}  // namespace wafd::detect
