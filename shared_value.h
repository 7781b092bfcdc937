// A value that one thread replaces and others copy. (std::atomic<std::shared_ptr> races in g++ 12.)
#pragma once

#include <memory>
#include <mutex>

namespace wafd {

template <class T>
class SharedValue {
 public:
  std::shared_ptr<const T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  // The value before is freed outside of the lock.
  void set(std::shared_ptr<const T> value) {
    const std::lock_guard lock(mutex_);
    value_.swap(value);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const T> value_;
};

}  // namespace wafd
