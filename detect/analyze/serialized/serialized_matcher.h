// Serialized objects where an application expects data: Java, PHP, .NET, Python, Ruby, Node, and the binders
// of YAML, XML and JSON that make objects of classes which the text names.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_serialized_matcher();

}  // namespace wafd::detect
