// What template engines offer and no page needs: ${.data_model}, ${"x"?upper_case} (Freemarker manual,
// "Special variables", "Built-ins"); #evaluate('…') (Velocity user guide, "Directives"); {% extends "/etc/…"
// %}.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

// Adds hits of rule `engine`; of `probe` what only computes.
void read_engine_words(std::string_view text, FirstHits& hits, std::uint16_t engine, std::uint16_t probe);

}  // namespace wafd::detect
