#include "console/settings/compile_alone.h"

#include <vector>

namespace wafd::console {

Result<std::unique_ptr<detect::Engine>> compile_alone(const CompileRules& elsewhere, const std::string& name,
                                                      const std::string& text) {
  const detect::RuleFile files[] = {{name, text}};
  detect::Engine::Options options;
  options.builtin_rules = false;
  detect::CompiledSets sets;
  if (elsewhere) {
    auto compiled = elsewhere(name, text);
    if (!compiled) return tl::unexpected<Error>(compiled.error());
    sets = std::move(*compiled);
    options.sets = {.known = &sets, .compile = false};
  }
  return detect::Engine::build(std::vector<std::unique_ptr<detect::Analyzer>>(), files, options);
}

}  // namespace wafd::console
