// Shared by the units that make evidence of structures.
#pragma once

#include "detect/analyze/sql/sql_structures.h"

namespace wafd::detect::sql {

inline constexpr Facts kWeighty = kTruth | kHoldsQuery | kEffect | kInfo;

constexpr bool has(Facts facts, Facts any) noexcept { return (facts & any) != 0; }

// The application's own closing quote is commented out or used.
constexpr bool is_closed(Tail tail) noexcept { return tail == Tail::kComment || tail == Tail::kOpenString; }

constexpr Certainty lower(Certainty certainty) noexcept {
  return certainty == Certainty::kCertain ? Certainty::kLikely : Certainty::kPossible;
}

// SeLeCt: letters of both cases, and not the first alone.
bool has_odd_case(std::string_view word) noexcept;

}  // namespace wafd::detect::sql
