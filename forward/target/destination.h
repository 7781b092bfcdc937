// Which addresses wafd may connect to: a settings page must not become a way to reach what only this machine
// can.
#pragma once

#include <cstdint>
#include <span>

#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

// Refused (kDenied, `what` says why): link-local (169.254.0.0/16, fe80::/10, cloud metadata among them),
// multicast, broadcast, 0.0.0.0/8 and ::, and, for transports over TCP, wafd's own listeners (a wildcard
// listener is met on loopback and on every address of `local`, those of this machine). IPv4 inside IPv6
// (mapped, compatible, NAT64, 6to4) is judged as IPv4. Loopback and private ranges are fine: local agents and
// SIEMs live there. Judge the very address that is then connected to.
Result<void> check_destination(const IpAddress& address, std::uint16_t port, Transport transport,
                               std::span<const Endpoint> own_listeners,
                               std::span<const IpAddress> local = {});

}  // namespace wafd::forward
