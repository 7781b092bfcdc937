// Finds which of many literals stand in a text, without case, in one walk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/core/octets.h"

namespace wafd::detect {

// Each literal is looked up by one pair of its bytes, the one that ordinary requests have least often. Built
// by add(), then used by any number of threads.
class LiteralIndex {
 public:
  // `literal` is in lower case and at least two bytes long; `id` is what scan() says of it.
  void add(std::string_view literal, std::uint32_t id);
  bool empty() const noexcept { return literals_.empty(); }

  // Calls found(id) for each place where a literal stands, unless skip(id) is true already.
  template <class Skip, class Found>
  void scan(std::string_view text, Skip&& skip, Found&& found) const {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const std::size_t bit = octet(text[i]) * 256u + octet(text[i + 1]);
      if ((pair_bits_[bit / 64] >> (bit % 64) & 1) == 0) continue;
      for (const std::uint32_t index : groups_[group_of(text[i], text[i + 1])]) {
        const Literal& literal = literals_[index];
        if (literal.offset > i || skip(literal.id)) continue;
        if (istarts_with(text.substr(i - literal.offset), literal.text)) found(literal.id);
      }
    }
  }

  std::size_t table_bytes() const noexcept;

 private:
  static constexpr std::size_t kGroups = 4096;

  struct Literal {
    std::string text;
    std::uint32_t offset = 0;  // of the pair by which it is looked up
    std::uint32_t id = 0;
  };

  static constexpr std::size_t group_of(char a, char b) noexcept {
    return (octet(to_lower(a)) * 197u ^ octet(to_lower(b))) % kGroups;
  }

  std::vector<Literal> literals_;
  std::array<std::uint64_t, 65536 / 64> pair_bits_{};  // a bit for each pair that literals are looked up by
  std::vector<std::vector<std::uint32_t>> groups_{kGroups};  // of pairs, in lower case: indexes in literals_
};

// How much a literal says of a text that holds it: bits, roughly, that ordinary requests do not have by
// chance.
int rarity(std::string_view literal) noexcept;

}  // namespace wafd::detect
