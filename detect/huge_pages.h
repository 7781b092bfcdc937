// Memory for large tables that are read at places all over: in huge pages where the system gives them
// (madvise(2), MADV_HUGEPAGE), so that a read seldom waits until its page is found.
#pragma once

#include <cstddef>
#include <new>

namespace wafd::detect {

// At least `bytes`, whole huge pages, not initialised. Throws std::bad_alloc. Any thread.
void* allocate_huge(std::size_t bytes);
// Frees memory of allocate_huge(); null is allowed.
void free_huge(void* memory) noexcept;

// For vectors that are made once with their size: each takes a huge page at least. Elements begin as their
// default constructors leave them: bytes are not initialised.
template <class T>
struct HugePages {
  using value_type = T;
  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) noexcept {}  // NOLINT(google-explicit-constructor): as allocators are
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_huge(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) noexcept { free_huge(memory); }
  template <class U>
  void construct(U* element) noexcept {
    ::new (static_cast<void*>(element)) U;
  }
  friend bool operator==(const HugePages&, const HugePages&) noexcept { return true; }
};

}  // namespace wafd::detect
