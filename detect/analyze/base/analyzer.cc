#include "detect/analyze/base/analyzer.h"

#include <algorithm>
#include <utility>

#include "detect/analyze/base/writing.h"
#include "detect/core/rule_id.h"

namespace wafd::detect {
void FirstHits::add(std::uint16_t rule, std::size_t begin, std::size_t end, std::string reason) {
  if (has(rule)) return;
  if (writing_ != nullptr && rule != shown_ && (anywhere_ >> rule & 1) == 0 &&
      (writing_->shows_server_code(begin) || ((in_programs_ >> rule & 1) != 0 && writing_->is_program()))) {
    rule = shown_;
    if (has(rule)) return;
  }
  seen_ |= std::uint64_t{1} << rule;
  const auto at = std::find_if(hits_.begin() + static_cast<std::ptrdiff_t>(first_), hits_.end(),
                               [rule](const Hit& hit) { return hit.rule > rule; });
  hits_.insert(at, Hit{rule, static_cast<std::uint32_t>(std::min(begin, text_size_)),
                       static_cast<std::uint32_t>(std::min(end, text_size_)), std::move(reason)});
}

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
