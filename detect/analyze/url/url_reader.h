// Takes a URL apart the lenient way that HTTP clients do (RFC 3986 and the URL standard), and says where it
// leads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wafd::detect {

struct UrlParts {
  std::string scheme;          // lower case, without the colon; nested ones ("jar:file") as written
  std::string_view authority;  // between "//" and the next / ? # or backslash
  std::string_view user;       // before the last '@' of the authority
  std::string_view host;       // without port and brackets
  std::string_view port;       // its digits
  std::string_view path;       // from the first slash behind the authority up to ? or #
  std::string_view query;      // behind '?'
  bool has_query = false;
  bool bracketed = false;  // [IPv6]
};

// Nothing if the text does not begin with scheme ':' '/' or scheme ':' of those that take no slashes (data,
// jar, php).
std::optional<UrlParts> read_url(std::string_view text);

// The same of "//host/path" and "\\\\host\\path", which take the scheme of the page or mean a share.
std::optional<UrlParts> read_relative_url(std::string_view text);

enum class HostKind : std::uint8_t {
  kName,
  kPublic,     // a dotted IPv4 address, or IPv6 in brackets
  kLoopback,   // 127/8, ::1, localhost, 0.0.0.0
  kPrivate,    // RFC 1918, fc00::/7
  kLinkLocal,  // 169.254/16, fe80::/10
  kMetadata,   // the address or name of a cloud's metadata service
  kOdd,        // an address in a spelling that hides it: 2130706433, 0x7f.1, 0177.0.0.1, 127.0.0.1.nip.io
};

// `host` as in UrlParts; `bracketed` for IPv6.
HostKind host_kind(std::string_view host, bool bracketed);

// Full-width and enclosed letters and digits (U+FF01.., U+2460..) and the full stop U+3002 in a host: they
// resolve as the ASCII ones.
bool look_alike(std::string_view host) noexcept;

// Suffixes of names that name servers answer with an address inside the name, or with the reader's own.
std::span<const std::string_view> address_names() noexcept;

}  // namespace wafd::detect
