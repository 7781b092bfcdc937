// Lookup in the tables of elements.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::xss {

// A set of bits.
enum class Element : std::uint16_t {
  kNone = 0,
  kScript = 1u << 0,
  kActive = 1u << 1,   // runs code of its own, or changes where every other link of the page goes
  kLoading = 1u << 2,  // loads something, sends something, takes input, or is read by other rules than HTML's
  kPlain = 1u << 3,
  kImage = 1u << 4,  // shows data: URLs as images
  kMeta = 1u << 5,
  kLink = 1u << 6,
  kStyle = 1u << 7,
  kFrame = 1u << 8,
};
constexpr bool is_flags(Element) noexcept { return true; }

struct ElementRow {
  std::string_view text;
  Element does;
};

}  // namespace wafd::detect::xss
