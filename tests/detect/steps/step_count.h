// Steps of instrumented code: basic blocks entered, and each 16 bytes that the C library looked through for
// it. A count of work that is the same on every machine.
#pragma once

#include <cstdint>

namespace wafd::detect {

// Since the program began. One thread.
std::uint64_t steps_so_far() noexcept;

}  // namespace wafd::detect
