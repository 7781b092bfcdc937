#include "detect/huge_pages.h"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace wafd::detect {
namespace {

constexpr std::size_t kHugePage = 2u << 20;  // of x86-64 and, with pages of 4 KiB, of AArch64

}  // namespace

void* allocate_huge(std::size_t bytes) {
  const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // A wish: where it is refused, the pages are small.
  static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
#endif
  return memory;
}

void free_huge(void* memory) noexcept { std::free(memory); }

}  // namespace wafd::detect
