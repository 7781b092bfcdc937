#include "detect/analyze/url/url_reader.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"
#include "detect/core/word_set.h"

namespace wafd::detect {
namespace {

constexpr std::array<std::string_view, 13> kMetadataNames = {"metadata.google.internal",
                                                             "metadata.goog",
                                                             "metadata",
                                                             "instance-data",
                                                             "instance-data.ec2.internal",
                                                             "metadata.azure.internal",
                                                             "metadata.azure.com",
                                                             "metadata.tencentyun.com",
                                                             "rancher-metadata",
                                                             "metadata.packet.net",
                                                             "metadata.platformequinix.com",
                                                             "metadata.google.internal.",
                                                             "api.metadata.cloud.ibm.com"};
// Name servers that answer with the address that stands in the name, or with one of two in turn; then those
// that answer with the reader's own.
constexpr std::array<std::string_view, 14> kAddressNames = {
    ".traefik.me", ".backname.io", ".rebind.network", ".nip.io", ".xip.io",  ".sslip.io",     ".1u.ms",
    ".rbndr.us",   ".localho.st",  ".lacolhost.com",  ".lvh.me", ".vcap.me", ".localtest.me", ".localhost"};
constexpr std::size_t kOwnNames = 8;  // index of the first of these
constexpr WordSet kLocalNames({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback",
                               "localhost4", "localhost6", "localtest.me", "lvh.me", "kubernetes.default.svc",
                               "host.docker.internal", "gateway.docker.internal",
                               "kubernetes.docker.internal", "kubernetes.default.svc.cluster.local",
                               "kubernetes.default", "loopback"});

HostKind kind_of_ipv4(std::uint32_t address, bool odd) noexcept {
  const std::uint32_t a = address >> 24;
  const std::uint32_t b = (address >> 16) & 255u;
  if (address == 0xa9fea9feu ||  // 169.254.169.254: AWS, Google, Azure, DigitalOcean, OpenStack, Oracle
      address == 0xa9feaa02u ||  // 169.254.170.2: AWS containers
      address == 0xa9fe0017u ||  // 169.254.0.23: Tencent
      address == 0xc00000c0u ||  // 192.0.0.192: Oracle Classic
      address == 0xa83f8110u ||  // 168.63.129.16: Azure
      address == 0x646464c8u     // 100.100.100.200: Alibaba
  )
    return HostKind::kMetadata;
  if (odd) return HostKind::kOdd;
  if (a == 127 || address == 0) return HostKind::kLoopback;
  if (a == 169 && b == 254) return HostKind::kLinkLocal;
  if (a == 10 || (a == 172 && b >= 16 && b < 32) || (a == 192 && b == 168)) return HostKind::kPrivate;
  return HostKind::kPublic;
}

// inet_aton: one to four numbers, each decimal, octal or hexadecimal; the last fills the rest.
std::optional<HostKind> ipv4_kind(std::string_view host) noexcept {
  while (host.ends_with('.')) host.remove_suffix(1);
  std::array<std::uint64_t, 4> parts{};
  std::size_t count = 0;
  bool odd = false;
  for (std::size_t at = 0; at <= host.size();) {
    const std::size_t end = std::min(host.find('.', at), host.size());
    std::string_view part = host.substr(at, end - at);
    if (part.empty() || count == 4) return std::nullopt;
    unsigned base = 10;
    if (part.size() > 2 && part[0] == '0' && to_lower(part[1]) == 'x') {
      base = 16;
      part.remove_prefix(2);
      odd = true;
    } else if (part.size() > 1 && part[0] == '0') {
      base = 8;
      odd = true;
    }
    std::uint64_t value = 0;
    for (const char c : part) {
      const int digit = hex_value(c);
      if (digit < 0 || static_cast<unsigned>(digit) >= base) return std::nullopt;
      value = value * base + static_cast<unsigned>(digit);
      if (value > 0xffffffffffull) value = 0xffffffffffull;
    }
    parts[count++] = value;
    at = end + 1;
  }
  if (count == 0) return std::nullopt;
  if (count < 4) odd = true;
  std::uint64_t address = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (parts[i] > 255) odd = true;
    address |= (parts[i] & 255u) << (24 - 8 * i);
  }
  address += parts[count - 1];
  if (address > 0xffffffffull) odd = true;
  return kind_of_ipv4(static_cast<std::uint32_t>(address), odd);
}

struct Ipv6 {
  std::array<std::uint32_t, 8> groups{};
  std::optional<HostKind> dotted;  // of an IPv4 address that is written at the end
};

// RFC 4291, 2.2: eight groups, "::" once for as many zeroes as fit, the last two perhaps as an IPv4 address;
// behind it a zone (RFC 6874).
std::optional<Ipv6> read_ipv6(std::string_view host) noexcept {
  host = host.substr(0, host.find('%'));
  Ipv6 out;
  std::size_t count = 0;
  std::optional<std::size_t> gap;
  for (std::size_t at = 0; at < host.size() || at == 0;) {
    if (host.substr(at).starts_with("::")) {
      if (gap) return std::nullopt;
      gap = count;
      at += 2;
      if (at == host.size()) break;
    }
    const std::size_t end = std::min(host.find(':', at), host.size());
    const std::string_view part = host.substr(at, end - at);
    if (end == host.size() && part.find('.') != std::string_view::npos) {
      out.dotted = ipv4_kind(part);
      if (!out.dotted || count > 6) return std::nullopt;
      count += 2;
      break;
    }
    if (part.empty() || part.size() > 4 || count == 8) return std::nullopt;
    std::uint32_t value = 0;
    for (const char c : part) {
      if (hex_value(c) < 0) return std::nullopt;
      value = value * 16 + static_cast<std::uint32_t>(hex_value(c));
    }
    out.groups[count++] = value;
    if (end == host.size()) break;
    at = host.substr(end).starts_with("::") ? end : end + 1;
    if (at == host.size()) return std::nullopt;
  }
  if (gap ? count == 8 : count != 8) return std::nullopt;
  if (gap) {
    const auto first = out.groups.begin() + static_cast<std::ptrdiff_t>(*gap);
    const auto last = out.groups.begin() + static_cast<std::ptrdiff_t>(count);
    std::rotate(first, last, out.groups.end());
  }
  return out;
}

HostKind ipv6_kind(std::string_view host) noexcept {
  const std::optional<Ipv6> address = read_ipv6(host);
  if (!address) return HostKind::kName;
  const std::array<std::uint32_t, 8>& g = address->groups;
  // The address that an IPv4-mapped, -compatible or -translated one stands for, or one of NAT64 or 6to4
  // (RFC 4291, 6052, 2765, 3056). Nobody writes it so but to pass a filter.
  if (address->dotted) return *address->dotted == HostKind::kMetadata ? HostKind::kMetadata : HostKind::kOdd;
  const auto zero = [&g](std::size_t begin, std::size_t end) {
    return std::all_of(g.begin() + static_cast<std::ptrdiff_t>(begin),
                       g.begin() + static_cast<std::ptrdiff_t>(end), [](std::uint32_t v) { return v == 0; });
  };
  const auto inner = [&g](std::size_t at) { return kind_of_ipv4(g[at] << 16 | g[at + 1], false); };
  const bool low = zero(0, 4) && ((g[4] == 0 && (g[5] == 0xffff || (g[5] == 0 && g[6] != 0))) ||
                                  (g[4] == 0xffff && g[5] == 0));
  const bool nat64 = g[0] == 0x64 && g[1] == 0xff9b;
  if (low || nat64) return inner(6) == HostKind::kMetadata ? HostKind::kMetadata : HostKind::kOdd;
  if (g[0] == 0x2002 && inner(1) != HostKind::kPublic)
    return inner(1) == HostKind::kMetadata ? HostKind::kMetadata : HostKind::kOdd;
  if (zero(0, 7) && g[7] <= 1) return HostKind::kLoopback;
  const bool amazon = g[0] == 0xfd00 && g[1] == 0xec2 && zero(2, 7) && (g[7] == 0x254 || g[7] == 0x23);
  const bool google = g[0] == 0xfd20 && g[1] == 0xce && zero(2, 7) && g[7] == 0x254;
  if (amazon || google) return HostKind::kMetadata;
  if (g[0] >> 6 == 0xfe80 >> 6) return HostKind::kLinkLocal;
  if (g[0] >> 9 == 0xfc00 >> 9 || g[0] >> 6 == 0xfec0 >> 6) return HostKind::kPrivate;
  return HostKind::kPublic;
}

// The IPv4 address in front of a suffix that a name server answers with it: 10.0.0.1, app.10-0-0-1,
// app-7f000001.
HostKind embedded_kind(std::string_view stem) noexcept {
  const std::size_t first = stem.find_first_of("0123456789");
  for (std::size_t at = first; at < stem.size();) {
    std::size_t end = at;
    std::uint32_t address = 0;
    std::size_t numbers = 0;
    while (end < stem.size() && is_digit(stem[end]) && numbers < 4) {
      std::uint32_t number = 0;
      const std::size_t begin = end;
      while (end < stem.size() && is_digit(stem[end]) && end - begin < 3)
        number = number * 10 + static_cast<std::uint32_t>(stem[end++] - '0');
      address = address << 8 | (number & 255u);
      ++numbers;
      if (end < stem.size() && (stem[end] == '.' || stem[end] == '-')) ++end;
    }
    if (numbers == 4) {
      const HostKind kind = kind_of_ipv4(address, false);
      return kind == HostKind::kMetadata ? kind
             : kind == HostKind::kPublic ? HostKind::kLoopback
                                         : HostKind::kOdd;
    }
    at = stem.find_first_of("0123456789", std::max(end, at + 1));
  }
  return HostKind::kOdd;
}

bool iends_with(std::string_view host, std::string_view suffix) noexcept {
  return host.size() > suffix.size() && iequals(host.substr(host.size() - suffix.size()), suffix);
}

// The authority at the beginning of `rest`; returns its length.
std::size_t read_authority(std::string_view rest, UrlParts& out) noexcept {
  out.authority = rest.substr(0, rest.find_first_of("/\\?#"));
  std::string_view host = out.authority;
  const std::size_t at_sign = host.rfind('@');
  if (at_sign != std::string_view::npos) {
    out.user = host.substr(0, at_sign);
    host.remove_prefix(at_sign + 1);
  }
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    out.bracketed = true;
    out.host = host.substr(1, close == std::string_view::npos ? std::string_view::npos : close - 1);
    if (close != std::string_view::npos && host.substr(close + 1).starts_with(':'))
      out.port = host.substr(close + 2);
    return out.authority.size();
  }
  const std::size_t colon = host.rfind(':');
  const bool port = colon != std::string_view::npos && host.find(':') == colon &&
                    host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  out.host = port ? host.substr(0, colon) : host;
  if (port) out.port = host.substr(colon + 1);
  // An IPv6 address without its brackets, which lenient clients take.
  out.bracketed = host.find("::") != std::string_view::npos &&
                  host.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
  if (out.bracketed) out.host = host;
  return out.authority.size();
}

}  // namespace

std::optional<UrlParts> read_url(std::string_view text) {
  while (!text.empty() && octet(text.front()) <= ' ') text.remove_prefix(1);
  UrlParts out;
  std::size_t at = 0;
  // "url:", "jar:", "view-source:" may stand before another scheme.
  for (int nested = 0; nested < 4; ++nested) {
    std::size_t end = at;
    while (end < text.size() && end - at < 24 &&
           (is_alnum(text[end]) || text[end] == '+' || text[end] == '.' || text[end] == '-' ||
            text[end] == '_')) {
      ++end;
    }
    if (end == at || end >= text.size() || text[end] != ':' || !is_alpha(text[at])) {
      if (nested == 0) return std::nullopt;
      break;
    }
    if (nested > 0) out.scheme.push_back(':');
    out.scheme += to_lower(text.substr(at, end - at));
    at = end + 1;
    if (at < text.size() && (text[at] == '/' || text[at] == '\\')) break;
  }
  std::string_view rest = text.substr(at);
  const auto slash = [](char c) { return c == '/' || c == '\\'; };
  const bool web = out.scheme == "http" || out.scheme == "https";
  if (web || (rest.size() >= 2 && slash(rest[0]) && slash(rest[1]))) {
    // For web schemes any number of slashes does.
    for (int i = 0; i < (web ? 64 : 2) && !rest.empty() && slash(rest[0]); ++i) rest.remove_prefix(1);
    rest.remove_prefix(read_authority(rest, out));
  }
  const std::size_t question = rest.find_first_of("?#");
  out.path = rest.substr(0, question);
  if (question != std::string_view::npos && rest[question] == '?') {
    out.has_query = true;
    out.query = rest.substr(question + 1);
  }
  return out;
}

std::optional<UrlParts> read_relative_url(std::string_view text) {
  const auto slash = [](char c) { return c == '/' || c == '\\'; };
  if (text.size() < 3 || !slash(text[0]) || !slash(text[1])) return std::nullopt;
  UrlParts out;
  text.remove_prefix(2);
  text.remove_prefix(read_authority(text, out));
  out.path = text.substr(0, text.find_first_of("?#"));
  return out;
}

HostKind host_kind(std::string_view host, bool bracketed) {
  if (bracketed) return ipv6_kind(host);
  if (const std::optional<HostKind> kind = ipv4_kind(host)) return *kind;
  if (kLocalNames.has(host)) return HostKind::kLoopback;
  while (host.ends_with('.')) host.remove_suffix(1);
  for (const std::string_view name : kMetadataNames) {
    if (iequals(host, name)) return HostKind::kMetadata;
  }
  for (std::size_t i = 0; i < kAddressNames.size(); ++i) {
    if (!iends_with(host, kAddressNames[i])) continue;
    return i >= kOwnNames ? HostKind::kLoopback
                          : embedded_kind(host.substr(0, host.size() - kAddressNames[i].size()));
  }
  // Names that only the servers of one network resolve: Consul's, Kubernetes'.
  if (iends_with(host, ".service.consul") || iends_with(host, ".node.consul") ||
      iends_with(host, ".svc.cluster.local")) {
    return HostKind::kPrivate;
  }
  return HostKind::kName;
}

bool look_alike(std::string_view host) noexcept {
  for (std::size_t i = 0; i + 1 < host.size(); ++i) {
    const unsigned char a = octet(host[i]);
    const unsigned char b = octet(host[i + 1]);
    if ((a == 0xef && (b == 0xbc || b == 0xbd)) || (a == 0xe2 && b >= 0x91 && b <= 0x93)) return true;
    if (a == 0xe3 && b == 0x80 && i + 2 < host.size() && octet(host[i + 2]) == 0x82) return true;
  }
  return false;
}

std::span<const std::string_view> address_names() noexcept { return kAddressNames; }

}  // namespace wafd::detect
