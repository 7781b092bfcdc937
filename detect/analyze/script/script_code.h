// Code of server languages other than PHP: Node (and prototype pollution), Ruby, Python, Groovy, Lua.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_script_code_analyzer();

}  // namespace wafd::detect
