// Steps of work that readers of a text count where their loops are, so that a limit sees what a text really
// costs and not what its length lets expect. A step is about a nanosecond on today's machines; the same text
// takes the same steps everywhere (tests/detect/steps compares them with the basic blocks that are entered).
#pragma once

#include <cstdint>

namespace wafd {

// Of this thread, since it began: whoever wants the steps of a call takes the difference. It is the one
// variable of the engine that is nobody's member: lexers are values, made in every reader of every language.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
inline thread_local constinit std::uint64_t steps_of_thread = 0;

inline void count_steps(std::uint64_t steps) noexcept { steps_of_thread += steps; }

}  // namespace wafd
