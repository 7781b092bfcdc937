// Code injection into JavaScript of servers (Node.js, Deno, Bun): values that are evaluated, or that leave a
// string of what is; names that reach the prototypes of all objects.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_node_matcher();

}  // namespace wafd::detect
