// Which sets of bytes a text has a byte of, and which pairs of sets stand in it one behind the other, from
// one walk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/bytes.h"

namespace wafd::detect {

// Built by the add functions, each of which gives the number of a sign, the same for the same sign; kFull: no
// more can be told apart. Then used by any number of threads.
class ByteSigns {
 public:
  static constexpr std::size_t kMax = 128;  // of single bytes and, apart from these, of pairs
  static constexpr std::size_t kFull = static_cast<std::size_t>(-1);
  using Set = std::array<std::uint64_t, kMax / 64>;

  // A byte of `bytes`, wherever it stands.
  std::size_t add(std::string_view bytes) { return add_single(bytes, false); }
  // The first byte behind white space, or behind quotes, is one of `bytes`.
  std::size_t add_first(std::string_view bytes) { return add_single(bytes, true); }
  // A byte of `first`, then any number of bytes of `between`, then one of `second`.
  std::size_t add_pair(std::string_view first, std::string_view second, std::string_view between = {});

  // How many bytes count for a sign of single bytes.
  std::size_t size_of(std::size_t sign) const noexcept { return singles_[sign].bytes.size(); }

  struct Found {
    Set bytes{};
    Set pairs{};
  };
  Found read(std::string_view text) const noexcept;

 private:
  struct Single {
    std::string bytes;
    bool first;
    bool operator==(const Single&) const = default;
  };
  struct Pair {
    std::string first;
    std::string second;
    std::string between;
    bool operator==(const Pair&) const = default;
  };
  // The signs of one byte, in a cache line.
  struct alignas(64) Row {
    Set anywhere{};
    Set first{};   // pairs that it begins
    Set second{};  // pairs that it ends
    Set keeps{};   // pairs in which it may stand between both
  };

  std::size_t add_single(std::string_view bytes, bool first);

  std::vector<Single> singles_;
  std::vector<Pair> pairs_;
  std::array<Row, 256> rows_{};
  std::array<Set, 256> at_begin_{};  // single bytes where a text begins
};

}  // namespace wafd::detect
