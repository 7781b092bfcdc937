// Counts what this test program allocates. A unit of its own, so that the compiler does not see both halves
// at once.
#include <atomic>
#include <cstdlib>
#include <new>

namespace wafd::detect {
extern std::atomic<std::size_t> allocations;
std::atomic<std::size_t> allocations{0};
}  // namespace wafd::detect

void* operator new(std::size_t size) {
  ++wafd::detect::allocations;
  if (void* at = std::malloc(size != 0 ? size : 1)) return at;
  throw std::bad_alloc();
}
// Every form of it, so that what one of them gave is not freed by another's delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++wafd::detect::allocations;
  return std::malloc(size != 0 ? size : 1);
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
