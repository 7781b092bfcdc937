#include "detect/signatures/condition_set.h"

#include <utility>
#include <vector>

namespace wafd::detect {

Result<ConditionSet> ConditionSet::build(std::span<const std::string_view> expressions) {
  std::vector<Hint> hints;
  for (const std::string_view expression : expressions) hints.push_back({expression, bit(hints.size())});
  auto gate = Gate::build(hints, {}, 0, Gate::Listed::kWhether);
  if (!gate) return tl::unexpected<Error>(gate.error());
  ConditionSet set;
  set.gate_ = std::move(*gate);
  return set;
}

void ConditionSet::match(std::string_view text, std::uint64_t which, GateScratch& scratch,
                         std::span<unsigned char> out) const {
  gate_.scan(text, which, scratch);
  for (const std::uint32_t expression : scratch.suspected) {
    if (out[expression] == 0 && gate_.matches(expression, text, scratch)) out[expression] = 1;
  }
}

}  // namespace wafd::detect
