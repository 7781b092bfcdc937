#include "forward/target/destination.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace wafd::forward {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

bool starts_with(const Bytes& o, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), o.begin());
}

IpAddress v4_at(const Bytes& o, std::size_t at) {
  return IpAddress::from_v4({o[at], o[at + 1], o[at + 2], o[at + 3]});
}

// The IPv4 address that packets to this IPv6 address would reach, or the address itself.
IpAddress unwrap(const IpAddress& a) {
  const Bytes& o = a.bytes;
  if (a.is_v4()) return a;
  if (starts_with(o, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0}))
    return v4_at(o, 12);                                                         // NAT64, RFC 6052
  if (starts_with(o, {0x20, 0x02})) return v4_at(o, 2);                          // 6to4, RFC 3056
  const bool compatible = starts_with(o, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});  // RFC 4291 2.5.5.1
  if (compatible && !a.is_loopback() && !a.is_unspecified()) return v4_at(o, 12);
  return a;
}

const char* why_v4(const Bytes& o) {
  if (o[12] == 0) return "0.0.0.0/8 is no destination";
  if (o[12] == 169 && o[13] == 254)
    return "link-local addresses (169.254.0.0/16, cloud metadata) are refused";
  const bool metadata = (o[12] == 100 && o[13] == 100 && o[14] == 100 && o[15] == 200) ||  // Alibaba Cloud
                        (o[12] == 192 && o[13] == 0 && o[14] == 0 && o[15] == 192);        // Oracle Cloud
  if (metadata) return "cloud metadata addresses are refused";
  if (o[12] >= 224 && o[12] < 240) return "multicast addresses are refused";
  if (o[12] == 255 && o[13] == 255 && o[14] == 255 && o[15] == 255) return "the broadcast address is refused";
  if (o[12] >= 240) return "reserved addresses (240.0.0.0/4) are refused";
  return nullptr;
}

const char* why_v6(const IpAddress& a) {
  const Bytes& o = a.bytes;
  if (a.is_unspecified()) return ":: is no destination";
  if (o[0] == 0xff) return "multicast addresses are refused";
  if (o[0] == 0xfe && (o[1] & 0xc0) == 0x80) return "link-local addresses (fe80::/10) are refused";
  if (starts_with(o, {0xfd, 0x00, 0x0e, 0xc2})) return "cloud metadata addresses (fd00:ec2::/32) are refused";
  if (starts_with(o, {0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}))
    return "cloud metadata addresses (fd20:ce::254) are refused";  // Google Cloud
  return nullptr;
}

bool same_socket(const IpAddress& to, const IpAddress& listener, std::span<const IpAddress> local) {
  if (to == listener) return true;
  return listener.is_unspecified() &&
         (to.is_loopback() || std::find(local.begin(), local.end(), to) != local.end());
}

}  // namespace

Result<void> check_destination(const IpAddress& address, std::uint16_t port, Transport transport,
                               std::span<const Endpoint> own_listeners, std::span<const IpAddress> local) {
  const IpAddress to = unwrap(address);
  const char* why = to.is_v4() ? why_v4(to.bytes) : why_v6(to);
  if (why)
    return fail(ErrorCode::kDenied, fmt::format("{} may not be connected to: {}", address.text(), why));
  if (transport == Transport::kUdp) return {};
  for (const Endpoint& own : own_listeners)
    if (own.port == port && same_socket(to, own.address, local))
      return fail(ErrorCode::kDenied,
                  fmt::format("{} port {} is one of wafd's own listeners", address.text(), port));
  return {};
}

}  // namespace wafd::forward
