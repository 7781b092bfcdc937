// Command injection: text that a shell, cmd.exe, PowerShell or a tool's own option would run.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_shell_matcher();

}  // namespace wafd::detect
