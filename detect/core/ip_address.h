// IP addresses and CIDR prefixes as values: parse, compare, match, write.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd {

// IPv4 is kept v4-mapped (::ffff:a.b.c.d, RFC 4291 section 2.5.5.2), so both spellings of one address are
// equal.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};

  // Dotted decimal without leading zeros, or RFC 4291 section 2.2 text; no zone id, no brackets, no port.
  static std::optional<IpAddress> parse(std::string_view text) noexcept;
  static IpAddress from_v4(const std::array<std::uint8_t, 4>& bytes) noexcept;

  bool is_v4() const noexcept;           // also when it was written v4-mapped
  bool is_loopback() const noexcept;     // 127.0.0.0/8, ::1
  bool is_unspecified() const noexcept;  // 0.0.0.0, ::
  std::string text() const;              // dotted decimal, or RFC 5952

  auto operator<=>(const IpAddress&) const = default;
};

// A prefix of one family: `::/0` holds every IPv6 address and no IPv4 one.
struct Cidr {
  IpAddress network;               // bytes behind the prefix are zero
  std::uint8_t prefix_bits = 128;  // counted in the 128 bits of `network`, so 96 more than IPv4 text says

  // "10.0.0.0/8", "2001:db8::/32", or an address alone. Set bits behind the prefix are cleared, as users
  // write them.
  static Result<Cidr> parse(std::string_view text);

  bool is_v4() const noexcept { return prefix_bits >= 96 && network.is_v4(); }
  bool contains(const IpAddress& address) const noexcept;
  std::string text() const;  // always with the prefix length

  auto operator<=>(const Cidr&) const = default;
};

bool contains(std::span<const Cidr> list, const IpAddress& address) noexcept;

// "10.0.0.5:8700", "[::1]:8700", as configuration and logs spell an endpoint. Host names are not addresses.
struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;

  static Result<Endpoint> parse(std::string_view text);
  std::string text() const;

  auto operator<=>(const Endpoint&) const = default;
};

}  // namespace wafd
