// The rule files of detect/rules/, put into the library when it is built.
#pragma once

#include <span>

#include "detect/engine.h"

namespace wafd::detect {

std::span<const Engine::RuleFile> builtin_rules() noexcept;

}  // namespace wafd::detect
