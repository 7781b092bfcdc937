// Sets of flags: enums whose values are single bits, joined by "|".
#pragma once

#include <type_traits>

namespace wafd {

// An enum is one if its namespace says so: constexpr bool is_flags(Use) { return true; }
template <class Enum>
concept Flags = std::is_enum_v<Enum> && requires(Enum flags) {
  is_flags(flags);
};

template <Flags Enum>
constexpr Enum operator|(Enum a, Enum b) noexcept {
  using Bits = std::underlying_type_t<Enum>;
  return static_cast<Enum>(static_cast<Bits>(a) | static_cast<Bits>(b));
}
template <Flags Enum>
constexpr Enum operator&(Enum a, Enum b) noexcept {
  using Bits = std::underlying_type_t<Enum>;
  return static_cast<Enum>(static_cast<Bits>(a) & static_cast<Bits>(b));
}
template <Flags Enum>
constexpr Enum& operator|=(Enum& a, Enum b) noexcept {
  return a = a | b;
}
// A flag of one is in the other.
template <Flags Enum>
constexpr bool meets(Enum a, Enum b) noexcept {
  using Bits = std::underlying_type_t<Enum>;
  return (static_cast<Bits>(a) & static_cast<Bits>(b)) != 0;
}

}  // namespace wafd
