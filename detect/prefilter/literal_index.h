// Finds which of many literals stand in a text, without case, in one walk.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/bytes.h"

namespace wafd::detect {

// Each literal is looked up by those three of its bytes that ordinary requests have least often. Built by
// add(), then used by any number of threads.
class LiteralIndex {
 public:
  // `literal` is in lower case and at least three bytes long; `id` is what scan() says of it.
  void add(std::string_view literal, std::uint32_t id);
  bool empty() const noexcept { return literals_.empty(); }

  // Calls found(id) for each place where a literal stands, unless skip(id) is true already.
  template <class Skip, class Found>
  void scan(std::string_view text, Skip&& skip, Found&& found) const {
    const auto look_up = [&](std::uint32_t key, std::size_t i) {
      const std::uint32_t end = groups_[group_of(key) + 1];
      for (std::uint32_t at = groups_[group_of(key)]; at < end; ++at) {
        const Literal& literal = literals_[at];
        if (literal.key != key || literal.offset > i || !may_stand(literal, text, i - literal.offset))
          continue;
        if (!skip(literal.id) && istarts_with(text.substr(i - literal.offset), text_of(literal)))
          found(literal.id);
      }
    };
    for (std::size_t first = 0; first + 2 < text.size(); first += kBlock) {
      // The last block is read from a copy, with spaces behind it.
      std::array<char, kBlock + 3> copy;
      const char* block = text.data() + first;
      const std::size_t left = text.size() - first;
      if (left < copy.size()) {
        copy.fill(' ');
        std::memcpy(copy.data(), block, left);
        block = copy.data();
      }
      // Which places begin a key: no branch here depends on the text.
      const std::size_t keys = std::min(left - 2, kBlock);
      std::uint32_t places = 0;
      for (std::size_t group = 0; group < keys; group += kGroup) {
        for (std::size_t i = group; i < group + kGroup; ++i) places |= has_key(key_at(block + i)) << i;
      }
      places &= ~std::uint32_t{0} >> (kBlock - keys);
      for (; places != 0; places &= places - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(places));
        look_up(key_at(block + i), first + i);
      }
    }
  }

  // Once, behind the last add().
  void finish();

  std::size_t table_bytes() const noexcept;

 private:
  static constexpr std::size_t kBlock = 32;
  static constexpr std::size_t kGroup = 8;
  static constexpr std::size_t kGroups = 8192;
  static constexpr unsigned kKeyShift = 15;
  static constexpr std::size_t kKeyBits = std::size_t{1} << (32 - kKeyShift);

  // Half a cache line: a text is compared with some of these at every tenth byte.
  struct alignas(32) Literal {
    std::uint64_t head = 0;    // its first eight bytes, as lower() makes them; 0 behind its end
    std::uint32_t key = 0;     // of the bytes by which it is looked up
    std::uint32_t offset = 0;  // of those bytes
    std::uint32_t id = 0;
    std::uint32_t begin = 0;  // of its text in texts_
    std::uint32_t size = 0;
  };

  std::string_view text_of(const Literal& literal) const noexcept {
    return std::string_view(texts_).substr(literal.begin, literal.size);
  }

  // Upper and lower case are one; so are bytes that differ as they do, like "@" and "`".
  static std::uint32_t lower(char c) noexcept { return byte(c) | 0x20u; }
  // Of the three bytes at `at`; one behind them is read, too.
  static std::uint32_t key_at(const char* at) noexcept {
    std::uint32_t four = 0;
    std::memcpy(&four, at, sizeof(four));
    return ((four | 0x20202020u) << 8) * 0x9e3779b1u;
  }
  // False: it does not stand at text[at].
  static bool may_stand(const Literal& literal, std::string_view text, std::size_t at) noexcept {
    if (text.size() - at < sizeof(literal.head)) return true;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    // Bytes behind the head are shifted out.
    const auto rest = 64 - 8 * std::min(std::size_t{literal.size}, sizeof(bytes));
    return ((bytes | 0x2020202020202020u) << rest) == (literal.head << rest);
  }
  std::uint32_t has_key(std::uint32_t key) const noexcept {
    const std::uint32_t bit = key >> kKeyShift;
    return keys_[bit / 32] >> (bit % 32) & 1u;
  }
  static std::uint32_t group_of(std::uint32_t key) noexcept { return key >> 19; }  // below kGroups

  std::vector<Literal> literals_;                    // in the order of their groups
  std::string texts_;                                // of all literals, one behind the other
  std::array<std::uint32_t, kKeyBits / 32> keys_{};  // a bit for the upper bits of each key
  std::vector<std::uint32_t> groups_;                // where in literals_ each begins, and the end
};

// How much a literal says of a text that holds it: bits, roughly, that ordinary requests do not have by
// chance.
int rarity(std::string_view literal) noexcept;

}  // namespace wafd::detect
