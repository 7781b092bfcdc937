// The address that a URL's host leads to: IPv4 as inet_aton(3) and browsers read it (WHATWG URL 3.5), IPv6
// (RFC 4291, 6052, 3056), names that lead inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wafd::detect::url {

enum class HostKind : std::uint8_t {
  kName,
  kPublic,     // an IPv4 or IPv6 address
  kLoopback,   // 127/8, ::1, localhost, 0.0.0.0
  kPrivate,    // RFC 1918, 6598, fc00::/7, names of one network
  kLinkLocal,  // 169.254/16, fe80::/10
  kMetadata,   // of a cloud's metadata service
  kOdd,        // an address in a spelling that hides it: 2130706433, 0x7f.1, ::ffff:7f00:1, 127.0.0.1.nip.io
};

// `host` in ASCII, without port and brackets; `bracketed`: it is IPv6.
HostKind host_kind(std::string_view host, bool bracketed) noexcept;

// Row of hosts.tsv: a name, or behind a "." the end of names.
struct HostName {
  std::string_view text;
  HostKind kind;  // kOdd: the address stands in the name
};

// Undoes what clients undo in a host: escapes (RFC 3986 3.2.2), tabs and line ends (WHATWG URL 4.4),
// characters that IDNA maps to ASCII (UTS 46). True if one of the last was there.
bool plain_host(std::string_view host, std::string& out);

}  // namespace wafd::detect::url
