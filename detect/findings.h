// Matches -> findings: payload, excerpt, place in the raw request. Keeps them few without hiding a rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/base/request_analyzer.h"
#include "detect/core/request.h"
#include "detect/core/verdict.h"
#include "detect/extract/variants.h"

namespace wafd::detect {

// A rule is shown at most so often for one request; every rule that matched is shown.
inline constexpr std::size_t kMaxFindingsPerRule = 4;
inline constexpr std::size_t kExcerptBytes = 256;

// `begin`..`end` is the match in variant.text.
Finding make_finding(const Rule& rule, const Request& request, const FieldList& fields,
                     const Variant& variant, std::uint32_t begin, std::uint32_t end, std::string reason);

// Of a hit about the request as a whole.
Finding make_finding(const Rule& rule, const Request& request, RequestHit hit);

// False: whatever its place, a finding of `rule` that denies from `denies_from` would not be kept by
// add_finding(), so that it need not be made.
bool may_add(const Rule& rule, std::optional<Sensitivity> denies_from,
             const std::vector<Finding>& findings) noexcept;

// Appends unless the same rule already has that piece of the request, or its share.
void add_finding(Finding finding, std::vector<Finding>& findings);

}  // namespace wafd::detect
