#include "tests/detect/steps/step_count.h"

#include <cstddef>

// Names that the compiler and the linker give (-fsanitize-coverage=trace-pc, --wrap), not ours.
// NOLINTBEGIN(bugprone-reserved-identifier)
namespace {
std::uint64_t steps = 0;
}

extern "C" {
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc() { ++steps; }

const void* __real_memchr(const void* text, int byte, std::size_t size);
int __real_memcmp(const void* a, const void* b, std::size_t size);

__attribute__((no_sanitize_coverage)) const void* __wrap_memchr(const void* text, int byte,
                                                                std::size_t size) {
  const void* found = __real_memchr(text, byte, size);
  const std::size_t read =
      found != nullptr
          ? static_cast<std::size_t>(static_cast<const char*>(found) - static_cast<const char*>(text))
          : size;
  steps += read / 16;
  return found;
}

__attribute__((no_sanitize_coverage)) int __wrap_memcmp(const void* a, const void* b, std::size_t size) {
  steps += size / 16;
  return __real_memcmp(a, b, size);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace wafd::detect {

__attribute__((no_sanitize_coverage)) std::uint64_t steps_so_far() noexcept { return steps; }

}  // namespace wafd::detect
