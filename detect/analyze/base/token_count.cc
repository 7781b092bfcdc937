#include "detect/analyze/base/token_count.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "detect/core/byte_finder.h"

namespace wafd::detect {
namespace {

constexpr std::size_t kBlock = 64;
constexpr ByteFinder kBlanks(" \t\r\n");
constexpr ByteFinder kSigns(
    "\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f"
    "\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f"
    "!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~\x7f");

}  // namespace

std::size_t token_count(std::string_view text) noexcept {
  std::size_t tokens = 0;
  std::uint64_t in_word = 0;  // 1: the block before ended in one
  for (std::size_t first = 0; first < text.size(); first += kBlock) {
    std::array<char, kBlock> copy;
    const char* block = text.data() + first;
    const std::size_t left = std::min(text.size() - first, kBlock);
    if (left < kBlock) {
      copy.fill(' ');
      std::memcpy(copy.data(), block, left);
      block = copy.data();
    }
    const std::uint64_t signs = kSigns.among_sixty_four(block);
    const std::uint64_t words = ~(signs | kBlanks.among_sixty_four(block));
    tokens += static_cast<std::size_t>(std::popcount(signs) + std::popcount(words & ~(words << 1 | in_word)));
    in_word = words >> (kBlock - 1);
  }
  return tokens;
}

}  // namespace wafd::detect
