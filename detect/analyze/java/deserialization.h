// Serialised objects where an application expects data: Java, PHP, .NET, Python, Ruby, Node, XML and JSON
// binders.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_deserialization_analyzer();

}  // namespace wafd::detect
