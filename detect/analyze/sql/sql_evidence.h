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

// 1/**/or/**/id: a comment in the place of a blank, near the text's begin.
bool parted_by_comments(std::string_view text) noexcept;

// SeLeCt: letters of both cases, and not the first alone.
bool has_odd_case(std::string_view word) noexcept;

}  // namespace wafd::detect::sql
