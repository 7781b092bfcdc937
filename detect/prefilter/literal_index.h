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

// Each literal is looked up by those two of its bytes that ordinary requests have least often, and by up to
// two behind them. Built by add(), then used by any number of threads.
class LiteralIndex {
 public:
  // `literal` is in lower case and at least two bytes long; `id` is what scan() says of it.
  void add(std::string_view literal, std::uint32_t id);
  bool empty() const noexcept { return literals_.empty(); }

  // Calls found(id) for each place where a literal stands, unless skip(id) is true already.
  template <class Skip, class Found>
  void scan(std::string_view text, Skip&& skip, Found&& found) const {
    const auto look_up = [&](std::uint32_t key, std::size_t i) {
      if (!has(keys_, key)) return;
      for (std::uint32_t at = groups_[group_of(key)]; at < groups_[group_of(key) + 1]; ++at) {
        const Literal& literal = literals_[at];
        if (literal.key != key || literal.offset > i || !may_stand(literal, text, i - literal.offset))
          continue;
        if (!skip(literal.id) && istarts_with(text.substr(i - literal.offset), literal.text))
          found(literal.id);
      }
    };
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const unsigned sizes = sizes_[pair_at(text, i)];
      if (sizes == 0) continue;
      const std::uint32_t four = four_at(text, i);
      if ((sizes & 1u << 4) != 0) look_up(key_of(four, 4), i);
      if ((sizes & 1u << 3) != 0) look_up(key_of(four, 3), i);
      if ((sizes & 1u << 2) != 0) look_up(key_of(four, 2), i);
    }
  }

  // Once, behind the last add().
  void finish();

  std::size_t table_bytes() const noexcept;

 private:
  static constexpr std::size_t kGroups = 8192;
  static constexpr std::size_t kMaxKeyBytes = 4;
  static constexpr std::size_t kKeyBits = 65536;
  using Bits = std::array<std::uint64_t, kKeyBits / 64>;

  struct Literal {
    std::uint64_t head = 0;    // its first eight bytes, as lower() makes them; 0 behind its end
    std::uint32_t key = 0;     // of the bytes by which it is looked up
    std::uint32_t offset = 0;  // of those bytes
    std::uint32_t id = 0;
    std::string text;
  };

  // Upper and lower case are one; so are bytes that differ as they do, like "@" and "`".
  static std::uint32_t lower(char c) noexcept { return octet(c) | 0x20u; }
  // Two bytes, the first one lower.
  static std::uint32_t pair_at(std::string_view text, std::size_t at) noexcept {
    return lower(text[at]) | lower(text[at + 1]) << 8;
  }
  // The bytes at `at`, at least one, the first one lowest; behind the text there are spaces.
  static std::uint32_t four_at(std::string_view text, std::size_t at) noexcept {
    std::uint32_t four = 0;
    if (text.size() - at >= sizeof(four)) {
      std::memcpy(&four, text.data() + at, sizeof(four));
    } else {
      for (std::size_t i = 0; at + i < text.size(); ++i)
        four |= std::uint32_t{octet(text[at + i])} << (8 * i);
    }
    return four | 0x20202020u;
  }
  // Of so many of the four bytes.
  static std::uint32_t key_of(std::uint32_t four, std::size_t size) noexcept {
    const std::uint32_t kept = four << (8 * (kMaxKeyBytes - size));
    return kept * 0x9e3779b1u;
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
    return (bits[key >> 22] >> (key >> 16 & 63) & 1) != 0;
  }
  static void add(Bits& bits, std::uint32_t key) noexcept {
    bits[key >> 22] |= std::uint64_t{1} << (key >> 16 & 63);
  }
  static std::uint32_t group_of(std::uint32_t key) noexcept { return key >> 19; }  // below kGroups

  std::vector<Literal> literals_;             // in the order of their groups
  std::array<unsigned char, 65536> sizes_{};  // by pair_at(): a bit for each size of the keys that begin so
  Bits keys_{};                               // a bit for each key
  std::vector<std::uint32_t> groups_;         // where in literals_ each begins, and the end
};

// How much a literal says of a text that holds it: bits, roughly, that ordinary requests do not have by
// chance.
int rarity(std::string_view literal) noexcept;

}  // namespace wafd::detect
