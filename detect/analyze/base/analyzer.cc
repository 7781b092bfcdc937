#include "detect/analyze/base/analyzer.h"

#include <utility>

#include "detect/core/rule_id.h"

namespace wafd::detect {

std::vector<Rule> make_rules(std::string_view module, AttackType type, std::uint32_t first_number,
                             std::span<const RuleSpec> specs) {
  std::vector<Rule> rules;
  rules.reserve(specs.size());
  for (const RuleSpec& spec : specs) {
    Rule rule;
    rule.number = first_number + static_cast<std::uint32_t>(rules.size());
    rule.id = rule_id(module, spec.key);
    rule.module = module;
    rule.name = spec.name;
    rule.attack_type = type;
    rule.risk = spec.risk;
    rule.denies_from = spec.denies_from;
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace wafd::detect
