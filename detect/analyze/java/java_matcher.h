// Java in a text: lookups of loggers, expressions of OGNL and SpEL, reflection, names of classes that attacks
// need, parameters that reach a class loader.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_java_matcher();

}  // namespace wafd::detect
