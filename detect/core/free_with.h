// The owner of what a C library hands out: FreeWith<X509_free> as the deleter of a std::unique_ptr.
#pragma once

namespace wafd {

template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};

}  // namespace wafd
