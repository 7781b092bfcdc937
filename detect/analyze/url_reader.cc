#include "detect/analyze/url_reader.h"

#include <algorithm>
#include <array>

#include "detect/analyze/word_set.h"
#include "detect/core/octets.h"

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
constexpr std::array<std::string_view, 13> kAddressNames = {
    ".localho.st", ".lacolhost.com", ".traefik.me", ".backname.io", ".rebind.network", ".nip.io",  ".xip.io",
    ".sslip.io",   ".localtest.me",  ".lvh.me",     ".vcap.me",     ".1u.ms",          ".rbndr.us"};
constexpr WordSet kLocalNames({"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback",
                               "localhost4", "localhost6", "localtest.me", "lvh.me", "kubernetes.default.svc",
                               "host.docker.internal", "gateway.docker.internal",
                               "kubernetes.docker.internal", "kubernetes.default.svc.cluster.local",
                               "kubernetes.default"});

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

HostKind ipv6_kind(std::string_view host) noexcept {
  // The address an IPv4-mapped or -compatible one stands for.
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find('.', colon) != std::string_view::npos) {
    const std::optional<HostKind> inner = ipv4_kind(host.substr(colon + 1));
    // An IPv4 address in the clothes of IPv6: nobody writes it so but to pass a filter.
    if (inner) return *inner == HostKind::kMetadata ? HostKind::kMetadata : HostKind::kOdd;
  }
  if (iequals(host, "fd00:ec2::254") || iequals(host, "fd00:ec2::23") || iequals(host, "fd20:ce::254") ||
      iequals(host, "::ffff:a9fe:a9fe"))
    return HostKind::kMetadata;
  if (host == "::1" || host == "::" || host == "0:0:0:0:0:0:0:1" || host == "0:0:0:0:0:0:0:0")
    return HostKind::kLoopback;
  if (istarts_with(host, "fe8") || istarts_with(host, "fe9") || istarts_with(host, "fea") ||
      istarts_with(host, "feb")) {
    return HostKind::kLinkLocal;
  }
  if (istarts_with(host, "fc") || istarts_with(host, "fd")) return HostKind::kPrivate;
  if (istarts_with(host, "::ffff:") || istarts_with(host, "64:ff9b:")) return HostKind::kOdd;
  return HostKind::kPublic;
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
           (is_alnum(text[end]) || text[end] == '+' || text[end] == '.' || text[end] == '-')) {
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
    const std::size_t end = std::min(rest.find_first_of("/\\?#"), rest.size());
    out.authority = rest.substr(0, end);
    rest.remove_prefix(end);
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
    } else {
      const std::size_t colon = host.rfind(':');
      const bool port = colon != std::string_view::npos &&
                        host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
      out.host = port && host.find(':') == colon ? host.substr(0, colon) : host;
      // An IPv6 address without its brackets, which lenient clients take.
      out.bracketed = std::count(host.begin(), host.end(), ':') >= 2 &&
                      host.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
      if (out.bracketed) out.host = host;
    }
  }
  const std::size_t question = rest.find_first_of("?#");
  out.path = rest.substr(0, question);
  if (question != std::string_view::npos && rest[question] == '?') {
    out.has_query = true;
    out.query = rest.substr(question + 1);
  }
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
  for (const std::string_view suffix : kAddressNames) {
    if (host.size() <= suffix.size() || !iequals(host.substr(host.size() - suffix.size()), suffix)) continue;
    return HostKind::kLoopback;
  }
  if (host.size() > 10 && iequals(host.substr(host.size() - 10), ".localhost")) return HostKind::kLoopback;
  return HostKind::kName;
}

}  // namespace wafd::detect
