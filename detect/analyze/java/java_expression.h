// Expressions that Java frameworks evaluate: JNDI lookups, OGNL, SpEL, EL, and the classes that they reach
// for.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_java_expression_analyzer();

}  // namespace wafd::detect
