// An engine of the rules of one file alone, without the built-in ones.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "detect/core/error.h"
#include "detect/engine.h"

namespace wafd::console {

// Compiles elsewhere: in a process that can be ended. As RuleCompiler::compile() at the top.
using CompileRules =
    std::function<Result<detect::CompiledSets>(const std::string& name, const std::string& text)>;

// `elsewhere` empty: compiled here and now. An error names `name`, line, rule and reason.
Result<std::unique_ptr<detect::Engine>> compile_alone(const CompileRules& elsewhere, const std::string& name,
                                                      const std::string& text);

}  // namespace wafd::console
