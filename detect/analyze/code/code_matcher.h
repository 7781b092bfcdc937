// Code of Python, Ruby, Perl and Lua in a value that an application evaluates: calls that run commands, load
// code or read files, and the ways to them that avoid their names.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_code_matcher();

}  // namespace wafd::detect
