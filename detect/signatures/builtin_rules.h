// The rule files of detect/signatures/rules/, put into the library when it is built.
#pragma once

#include <span>

#include "detect/signatures/rule_file.h"

namespace wafd::detect {

std::span<const RuleFile> builtin_rules() noexcept;

}  // namespace wafd::detect
