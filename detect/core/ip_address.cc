#include "detect/core/ip_address.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "detect/core/bytes.h"

namespace wafd {
namespace {

// A decimal number up to `max` without sign or leading zero.
std::optional<unsigned> parse_decimal(std::string_view text, unsigned max) noexcept {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  if (value > max) return std::nullopt;
  return value;
}

std::optional<std::array<std::uint8_t, 4>> parse_v4(std::string_view text) noexcept {
  std::array<std::uint8_t, 4> out{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto dot = text.find('.');
    if ((dot == std::string_view::npos) != (i == 3)) return std::nullopt;
    const auto value = parse_decimal(text.substr(0, dot), 255);
    if (!value) return std::nullopt;
    out[i] = static_cast<std::uint8_t>(*value);
    if (i < 3) text.remove_prefix(dot + 1);
  }
  return out;
}

std::optional<std::uint16_t> parse_group(std::string_view text) noexcept {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned value = 0;
  for (const char c : text) {
    const int digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<unsigned>(digit);
  }
  return static_cast<std::uint16_t>(value);
}

// Groups of one side of "::" (or of the whole address) into `out`; the number of bytes written, or nothing.
std::optional<std::size_t> parse_groups(std::string_view text, bool last,
                                        std::span<std::uint8_t> out) noexcept {
  std::size_t used = 0;
  while (true) {
    const auto colon = text.find(':');
    const auto group = text.substr(0, colon);
    if (last && colon == std::string_view::npos && group.find('.') != std::string_view::npos) {
      const auto v4 = parse_v4(group);
      if (!v4 || used + 4 > out.size()) return std::nullopt;
      std::copy(v4->begin(), v4->end(), out.begin() + static_cast<std::ptrdiff_t>(used));
      return used + 4;
    }
    const auto value = parse_group(group);
    if (!value || used + 2 > out.size()) return std::nullopt;
    out[used++] = static_cast<std::uint8_t>(*value >> 8);
    out[used++] = static_cast<std::uint8_t>(*value & 0xff);
    if (colon == std::string_view::npos) return used;
    text.remove_prefix(colon + 1);
  }
}

std::optional<IpAddress> parse_v6(std::string_view text) noexcept {
  IpAddress out;
  const auto gap = text.find("::");
  if (gap == std::string_view::npos) {
    const auto used = parse_groups(text, true, out.bytes);
    if (!used || *used != 16) return std::nullopt;
    return out;
  }
  const auto left = text.substr(0, gap);
  const auto right = text.substr(gap + 2);
  std::size_t used = 0;
  if (!left.empty()) {
    const auto n = parse_groups(left, false, out.bytes);
    if (!n) return std::nullopt;
    used = *n;
  }
  if (!right.empty()) {
    std::array<std::uint8_t, 16> tail{};
    const auto n = parse_groups(right, true, tail);
    if (!n || used + *n > 14) return std::nullopt;  // "::" stands for at least one group
    std::copy_n(tail.begin(), *n, out.bytes.end() - static_cast<std::ptrdiff_t>(*n));
  } else if (used > 14) {
    return std::nullopt;
  }
  return out;
}

bool bit_prefix_equal(const IpAddress& a, const IpAddress& b, unsigned bits) noexcept {
  const unsigned whole = bits / 8;
  if (!std::equal(a.bytes.begin(), a.bytes.begin() + whole, b.bytes.begin())) return false;
  const unsigned rest = bits % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<std::uint8_t>(0xff00u >> rest);
  return ((a.bytes[whole] ^ b.bytes[whole]) & mask) == 0;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept {
  if (text.size() > 45) return std::nullopt;
  if (text.find(':') != std::string_view::npos) return parse_v6(text);
  const auto v4 = parse_v4(text);
  if (!v4) return std::nullopt;
  return from_v4(*v4);
}

IpAddress IpAddress::from_v4(const std::array<std::uint8_t, 4>& v4) noexcept {
  IpAddress out;
  out.bytes[10] = out.bytes[11] = 0xff;
  std::copy(v4.begin(), v4.end(), out.bytes.begin() + 12);
  return out;
}

bool IpAddress::is_v4() const noexcept {
  return bytes[10] == 0xff && bytes[11] == 0xff &&
         std::all_of(bytes.begin(), bytes.begin() + 10, [](auto o) { return o == 0; });
}

bool IpAddress::is_loopback() const noexcept {
  if (is_v4()) return bytes[12] == 127;
  return bytes[15] == 1 && std::all_of(bytes.begin(), bytes.begin() + 15, [](auto o) { return o == 0; });
}

bool IpAddress::is_unspecified() const noexcept {
  const auto from = bytes.begin() + (is_v4() ? 12 : 0);
  return std::all_of(from, bytes.end(), [](auto o) { return o == 0; });
}

std::string IpAddress::text() const {
  if (is_v4()) return fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < 8; ++i) groups[i] = static_cast<unsigned>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  // RFC 5952 section 4.2: the longest run of at least two zero groups, the first of equals, becomes "::".
  std::size_t best = 8, best_length = 1;
  for (std::size_t i = 0; i < 8;) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > best_length) {
      best = i;
      best_length = end - i;
    }
    i = std::max(end, i + 1);
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == best) {
      out += "::";
      i += best_length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    out += fmt::format("{:x}", groups[i]);
  }
  return out;
}

Result<Cidr> Cidr::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address)
    return fail(ErrorCode::kInvalid, "expected an IP address or prefix such as 10.0.0.0/8 or 2001:db8::/32");
  Cidr out;
  out.network = *address;
  if (slash == std::string_view::npos) return out;
  const bool dotted = text.substr(0, slash).find(':') == std::string_view::npos;
  const unsigned max = dotted ? 32 : 128;
  const auto bits = parse_decimal(text.substr(slash + 1), max);
  if (!bits)
    return fail(ErrorCode::kInvalid, fmt::format("expected a prefix length of 0..{}", max), slash + 1);
  out.prefix_bits = static_cast<std::uint8_t>(*bits + (dotted ? 96 : 0));
  for (unsigned i = 0; i < 16; ++i) {
    const unsigned kept = out.prefix_bits <= i * 8 ? 0u : std::min(8u, out.prefix_bits - i * 8);
    out.network.bytes[i] &= static_cast<std::uint8_t>(0xff00u >> kept);
  }
  return out;
}

bool Cidr::contains(const IpAddress& address) const noexcept {
  return is_v4() == address.is_v4() && bit_prefix_equal(network, address, prefix_bits);
}

std::string Cidr::text() const {
  return fmt::format("{}/{}", network.text(), is_v4() ? prefix_bits - 96 : prefix_bits);
}

bool contains(std::span<const Cidr> list, const IpAddress& address) noexcept {
  return std::any_of(list.begin(), list.end(), [&](const Cidr& cidr) { return cidr.contains(address); });
}

Result<Endpoint> Endpoint::parse(std::string_view text) {
  const auto wrong = [](std::size_t at) {
    return fail(ErrorCode::kInvalid, "expected ADDRESS:PORT such as 127.0.0.1:8700 or [::1]:8700", at);
  };
  std::string_view host, port;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos || text.substr(close + 1, 1) != ":") return wrong(0);
    host = text.substr(1, close - 1);
    port = text.substr(close + 2);
    if (host.find(':') == std::string_view::npos) return wrong(1);
  } else {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) return wrong(text.size());
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  const auto address = IpAddress::parse(host);
  if (!address) return wrong(0);
  const auto number = parse_decimal(port, 65535);
  if (!number) return wrong(text.size() - port.size());
  return Endpoint{*address, static_cast<std::uint16_t>(*number)};
}

std::string Endpoint::text() const {
  return fmt::format(fmt::runtime(address.is_v4() ? "{}:{}" : "[{}]:{}"), address.text(), port);
}

}  // namespace wafd
