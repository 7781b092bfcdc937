// How much an expression asks of the compiler, before it is asked.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect {

// States of the automaton that an expression is compiled to, about: one for each byte that it may read, with
// bounded repeats written out (`a{1,80}` has 80, `(ab){1,80}` 160). Saturates at UINT32_MAX. PCRE syntax as
// Vectorscan takes it; what is broken is counted as it stands. Linear in the expression.
std::uint32_t expression_states(std::string_view expression);

// Limit for one expression: several times what any built-in rule has; beyond it compiling takes many
// seconds.
inline constexpr std::uint32_t kMaxExpressionStates = 4000;
// Limit for all rules of an operator together.
inline constexpr std::uint32_t kMaxStatesInAll = 400'000;

}  // namespace wafd::detect
