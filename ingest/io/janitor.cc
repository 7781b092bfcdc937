#include "ingest/io/janitor.h"

#include <utility>

#include <malloc.h>

namespace wafd::ingest {

Janitor::Janitor() : thread_([this] { run(); }) {}

Janitor::~Janitor() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Janitor::take(std::shared_ptr<const void> old) {
  {
    const std::lock_guard lock(mutex_);
    old_.push_back(std::move(old));
  }
  wake_.notify_one();
}

void Janitor::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !old_.empty(); });
    auto old = std::exchange(old_, {});
    if (old.empty()) return;
    lock.unlock();
    old.clear();
    // Each set of rules is some ten thousand pieces among others' that stay: without this the C library keeps
    // the pages of about five of them.
    ::malloc_trim(0);
    lock.lock();
  }
}

}  // namespace wafd::ingest
