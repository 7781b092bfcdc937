// Memory for one request: bytes made while reading and decoding live here until the next reset().
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace wafd::detect {

// Blocks are kept between requests, so that ordinary ones allocate nothing; what a large request needed
// beyond kKeepBytes is given back at the reset after it. One thread at a time.
class Arena {
 public:
  static constexpr std::size_t kBlockBytes = 64u << 10;
  static constexpr std::size_t kKeepBytes = 4u << 20;

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* at = allocate(text.size());
    std::memcpy(at, text.data(), text.size());
    return {at, text.size()};
  }

  // `a`, the byte `between` and `b` as one text; one of them alone if the other is empty.
  std::string_view join(std::string_view a, char between, std::string_view b) {
    if (a.empty()) return copy(b);
    if (b.empty()) return copy(a);
    char* at = allocate(a.size() + 1 + b.size());
    std::memcpy(at, a.data(), a.size());
    at[a.size()] = between;
    std::memcpy(at + a.size() + 1, b.data(), b.size());
    return {at, a.size() + 1 + b.size()};
  }

  // `a` and `b` as one text.
  std::string_view append(std::string_view a, std::string_view b) {
    char* at = allocate(a.size() + b.size());
    if (!a.empty()) std::memcpy(at, a.data(), a.size());
    if (!b.empty()) std::memcpy(at + a.size(), b.data(), b.size());
    return {at, a.size() + b.size()};
  }

  // Room for `size` bytes, of which take() keeps those that were written; nothing else may be asked for in
  // between.
  char* reserve(std::size_t size) {
    char* at = allocate(size);
    at_ -= size;
    used_ -= size;
    return at;
  }
  std::string_view take(std::size_t size) {
    char* at = allocate(size);
    return {at, size};
  }

  std::size_t used() const noexcept { return used_; }

  void reset() {
    while (held_ > kKeepBytes && !blocks_.empty()) {
      held_ -= blocks_.back().size;
      blocks_.pop_back();
    }
    block_ = 0;
    at_ = 0;
    used_ = 0;
  }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
  };

  char* allocate(std::size_t size) {
    used_ += size;
    while (block_ < blocks_.size() && blocks_[block_].size - at_ < size) {
      ++block_;
      at_ = 0;
    }
    if (block_ == blocks_.size()) {
      const std::size_t block_size = size > kBlockBytes ? size : kBlockBytes;
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(block_size), block_size});
      held_ += block_size;
      at_ = 0;
    }
    char* out = blocks_[block_].bytes.get() + at_;
    at_ += size;
    return out;
  }

  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t at_ = 0;
  std::size_t used_ = 0;
  std::size_t held_ = 0;
};

}  // namespace wafd::detect
