// Finds which of many literals stand in a text, without case, in one walk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/octets.h"

namespace wafd::detect {

// Each literal is looked up by three of its bytes, those that ordinary requests have least often; one of two
// bytes by both. Built by add(), then used by any number of threads.
class LiteralIndex {
 public:
  // `literal` is in lower case and at least two bytes long; `id` is what scan() says of it.
  void add(std::string_view literal, std::uint32_t id);
  bool empty() const noexcept { return literals_.empty(); }

  // Calls found(id) for each place where a literal stands, unless skip(id) is true already.
  template <class Skip, class Found>
  void scan(std::string_view text, Skip&& skip, Found&& found) const {
    const auto look_up = [&](std::uint32_t key, std::size_t i) {
      for (std::uint32_t at = groups_[key % kGroups]; at < groups_[key % kGroups + 1]; ++at) {
        const Literal& literal = literals_[at];
        if (literal.key != key || literal.offset > i || !may_stand(literal, text, i - literal.offset))
          continue;
        if (!skip(literal.id) && istarts_with(text.substr(i - literal.offset), literal.text))
          found(literal.id);
      }
    };
    if (text.size() < 2) return;
    std::uint32_t a = lower(text[0]);
    std::uint32_t b = lower(text[1]);
    for (std::size_t i = 0;; ++i) {
      const std::uint32_t pair = a | b << 8;
      if (has(pair_bits_, pair)) look_up(pair, i);
      if (i + 2 == text.size()) return;
      const std::uint32_t c = lower(text[i + 2]);
      const std::uint32_t triple = key_of(a, b, c);
      if (has(triple_bits_, triple)) look_up(triple, i);
      a = b;
      b = c;
    }
  }

  // Once, behind the last add().
  void finish();

  std::size_t table_bytes() const noexcept;

 private:
  static constexpr std::size_t kGroups = 4096;
  using Bits = std::array<std::uint64_t, 65536 / 64>;  // a bit for each key modulo their number

  struct Literal {
    std::uint64_t head = 0;    // its first eight bytes, as lower() makes them; 0 behind its end
    std::uint32_t key = 0;     // of the bytes by which it is looked up
    std::uint32_t offset = 0;  // of those bytes
    std::uint32_t id = 0;
    std::string text;
  };

  // Upper and lower case are one; so are bytes that differ as they do, like "@" and "`".
  static std::uint32_t lower(char c) noexcept { return octet(c) | 0x20u; }
  // Of three bytes; a pair is its own key.
  static std::uint32_t key_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
    return ((a | b << 8 | c << 16) * 0x9e3779b1u) >> 8;
  }
  // False: it does not stand at text[at].
  static bool may_stand(const Literal& literal, std::string_view text, std::size_t at) noexcept {
    if (text.size() - at < sizeof(literal.head)) return true;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    // What stands behind the head is pushed out.
    const auto rest = 64 - 8 * std::min(literal.text.size(), sizeof(bytes));
    return ((bytes | 0x2020202020202020u) << rest) == (literal.head << rest);
  }
  static bool has(const Bits& bits, std::uint32_t key) noexcept {
    return (bits[key % 65536 / 64] >> (key % 64) & 1) != 0;
  }

  std::vector<Literal> literals_;  // in the order of their groups
  Bits pair_bits_{};
  Bits triple_bits_{};
  std::vector<std::uint32_t> groups_;  // where in literals_ each begins, and the end
};

// How much a literal says of a text that holds it: bits, roughly, that ordinary requests do not have by
// chance.
int rarity(std::string_view literal) noexcept;

}  // namespace wafd::detect
