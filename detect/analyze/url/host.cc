#include "detect/analyze/url/host.h"

#include <algorithm>
#include <array>
#include <optional>

#include "detect/analyze/url/hosts.tsv.h"
#include "detect/core/bytes.h"
#include "detect/decode/unicode_fold.h"

namespace wafd::detect::url {
namespace {

constexpr std::string_view kFullStops[] = {"\xe3\x80\x82", "\xef\xbd\xa1", "\xef\xbc\x8e"};  // UTS 46, 2.3

// Where clouds answer their machines.
constexpr std::array<std::uint32_t, 7> kMetadata4{
    0xa9fea9fe,  // 169.254.169.254: Amazon, Azure, DigitalOcean, Google, Hetzner, OpenStack, Oracle
    0xa9feaa02,  // 169.254.170.2: Amazon ECS
    0xa9feaa17,  // 169.254.170.23: Amazon EKS
    0xa9fe0017,  // 169.254.0.23: Tencent
    0xc00000c0,  // 192.0.0.192: Oracle Classic
    0xa83f8110,  // 168.63.129.16: Azure
    0x646464c8,  // 100.100.100.200: Alibaba
};

HostKind kind_of(std::uint32_t address) noexcept {
  if (std::find(kMetadata4.begin(), kMetadata4.end(), address) != kMetadata4.end())
    return HostKind::kMetadata;
  const auto within = [address](std::uint32_t network, int bits) {
    return address >> (32 - bits) == network >> (32 - bits);
  };
  if (within(0x7f000000, 8) || within(0, 8)) return HostKind::kLoopback;
  if (within(0xa9fe0000, 16)) return HostKind::kLinkLocal;
  if (within(0x0a000000, 8) || within(0xac100000, 12) || within(0xc0a80000, 16)) return HostKind::kPrivate;
  return HostKind::kPublic;
}

// Of an address in a spelling that nobody needs: what it hides is of no use to know, but a metadata service
// is.
HostKind hidden(HostKind kind) noexcept { return kind == HostKind::kMetadata ? kind : HostKind::kOdd; }

// One to four numbers, each decimal, octal or hexadecimal; the last fills the rest.
std::optional<HostKind> ipv4_kind(std::string_view host) noexcept {
  while (host.ends_with('.')) host.remove_suffix(1);
  std::array<std::uint64_t, 4> parts{};
  std::size_t count = 0;
  bool odd = false;
  for (std::size_t at = 0; at <= host.size();) {
    const std::size_t end = std::min(host.find('.', at), host.size());
    std::string_view part = host.substr(at, end - at);
    if (part.empty() || count == 4) return std::nullopt;
    int base = 10;
    if (part.size() > 1 && part[0] == '0') {
      odd = true;
      base = to_lower(part[1]) == 'x' ? 16 : 8;
      part.remove_prefix(base == 16 ? 2 : 1);
    }
    std::uint64_t value = 0;
    for (const char c : part) {
      const int digit = hex_value(c);
      if (digit < 0 || digit >= base) return std::nullopt;
      value = (value * static_cast<unsigned>(base) + static_cast<unsigned>(digit)) & 0xffffffffffu;
    }
    parts[count++] = value;
    at = end + 1;
  }
  std::uint64_t address = count == 4 ? parts[3] & 255u : parts[count - 1];
  odd = odd || count < 4 || address > 0xffffffffu;
  bool overflows = count == 4 && parts[3] > 255;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    overflows = overflows || parts[i] > 255;
    address += (parts[i] & 255u) << (24 - 8 * i);
  }
  const HostKind kind = kind_of(static_cast<std::uint32_t>(address));
  // A number that does not fit hides the machine itself or a service of a cloud; else it is mistyped.
  const bool hides = overflows && kind != HostKind::kPrivate;
  return odd || hides ? hidden(kind) : kind;
}

using Groups = std::array<std::uint32_t, 8>;

// RFC 4291 2.2, with a zone (RFC 6874) behind it. `dotted`: the kind of an IPv4 address at its end.
bool read_ipv6(std::string_view host, Groups& groups, std::optional<HostKind>& dotted) noexcept {
  host = host.substr(0, host.find('%'));
  std::size_t count = 0;
  std::optional<std::size_t> gap;
  while (!host.empty()) {
    if (host.starts_with("::")) {
      if (gap) return false;
      gap = count;
      host.remove_prefix(2);
      continue;
    }
    if (count != 0 && host.starts_with(':')) host.remove_prefix(1);
    const std::string_view part = host.substr(0, host.find(':'));
    if (part.size() == host.size() && part.find('.') != std::string_view::npos) {
      dotted = ipv4_kind(part);
      count += 2;
      if (!dotted || count > 8) return false;
      break;
    }
    const int value = part.empty() || part.size() > 4 ? -1 : hex_number(part, 0, part.size());
    if (value < 0 || count == 8) return false;
    groups[count++] = static_cast<std::uint32_t>(value);
    host.remove_prefix(part.size());
    if (host == ":") return false;
  }
  if (gap ? count >= 8 : count != 8) return false;
  if (gap) {
    std::rotate(groups.begin() + static_cast<std::ptrdiff_t>(*gap),
                groups.begin() + static_cast<std::ptrdiff_t>(count), groups.end());
  }
  return true;
}

HostKind ipv6_kind(std::string_view host) noexcept {
  Groups g{};
  std::optional<HostKind> dotted;
  if (!read_ipv6(host, g, dotted)) return HostKind::kName;
  if (dotted) return hidden(*dotted);
  const auto zero = [&g](std::size_t begin, std::size_t end) {
    return std::all_of(g.begin() + static_cast<std::ptrdiff_t>(begin),
                       g.begin() + static_cast<std::ptrdiff_t>(end), [](std::uint32_t v) { return v == 0; });
  };
  const auto inner = [&g](std::size_t at) { return kind_of(g[at] << 16 | g[at + 1]); };
  // IPv4-mapped, -compatible and -translated ones, NAT64, 6to4.
  const bool low = zero(0, 4) && ((g[4] == 0 && (g[5] == 0xffff || (g[5] == 0 && g[6] != 0))) ||
                                  (g[4] == 0xffff && g[5] == 0));
  if (low || (g[0] == 0x64 && g[1] == 0xff9b)) return hidden(inner(6));
  if (g[0] == 0x2002 && inner(1) != HostKind::kPublic) return hidden(inner(1));
  if (zero(0, 7) && g[7] <= 1) return HostKind::kLoopback;
  const bool amazon = g[0] == 0xfd00 && g[1] == 0xec2 && zero(2, 7) && (g[7] == 0x254 || g[7] == 0x23);
  const bool google = g[0] == 0xfd20 && g[1] == 0xce && zero(2, 7) && g[7] == 0x254;
  if (amazon || google) return HostKind::kMetadata;
  if (g[0] >> 6 == 0xfe80 >> 6) return HostKind::kLinkLocal;
  if (g[0] >> 9 == 0xfc00 >> 9 || g[0] >> 6 == 0xfec0 >> 6) return HostKind::kPrivate;
  return HostKind::kPublic;
}

// The address in a name that a name server answers with it: 10.0.0.1, app.10-0-0-1, app-7f000001.
HostKind embedded_kind(std::string_view stem) noexcept {
  HostKind found = HostKind::kName;
  for (std::size_t at = 0; at < stem.size();) {
    std::size_t end = at;
    std::uint32_t address = 0;
    int numbers = 0;
    while (end < stem.size() && is_digit(stem[end]) && numbers < 4) {
      std::uint32_t number = 0;
      for (int digits = 0; end < stem.size() && is_digit(stem[end]) && digits < 3; ++digits)
        number = number * 10 + static_cast<std::uint32_t>(stem[end++] - '0');
      address = address << 8 | (number & 255u);
      ++numbers;
      if (end < stem.size() && (stem[end] == '.' || stem[end] == '-')) ++end;
    }
    const int high = hex_number(stem, at, 4);
    const int low = high < 0 ? -1 : hex_number(stem, at + 4, 4);
    if (numbers != 4 && low >= 0)
      address = static_cast<std::uint32_t>(high) << 16 | static_cast<std::uint32_t>(low);
    if (numbers == 4 || low >= 0) {
      const HostKind kind = kind_of(address);
      if (kind == HostKind::kMetadata) return kind;
      found = kind != HostKind::kPublic || found == HostKind::kOdd ? HostKind::kOdd : kind;
    }
    while (at < stem.size() && stem[at] != '.' && stem[at] != '-') ++at;
    ++at;
  }
  return found;
}

}  // namespace

HostKind host_kind(std::string_view host, bool bracketed) noexcept {
  if (bracketed) return ipv6_kind(host);
  if (host.empty()) return HostKind::kName;
  if (is_digit(host[0])) {
    if (const std::optional<HostKind> kind = ipv4_kind(host)) return *kind;
  }
  while (host.ends_with('.')) host.remove_suffix(1);
  if (const HostName* row = kHosts.find(host)) return row->kind;
  for (std::size_t dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.', dot + 1)) {
    const HostName* row = kHosts.find(host.substr(dot));
    if (row != nullptr) return row->kind == HostKind::kOdd ? embedded_kind(host.substr(0, dot)) : row->kind;
  }
  return HostKind::kName;
}

bool plain_host(std::string_view host, std::string& out) {
  out.clear();
  bool wide = false;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const int escaped = host[i] == '%' ? hex_number(host, i + 1, 2) : -1;
    if (escaped > 0) {
      out += static_cast<char>(escaped);
      i += 2;
    } else if (host[i] != '\t' && host[i] != '\n' && host[i] != '\r') {
      out += host[i];
    }
  }
  for (const std::string_view stop : kFullStops) {
    for (std::size_t at = out.find(stop); at != std::string::npos; at = out.find(stop, at)) {
      out.replace(at, stop.size(), ".");
      wide = true;
    }
  }
  std::string folded;
  std::uint32_t flags = 0;
  if (maybe_unicode_fold(out) && unicode_fold_decode(out, folded, flags)) {
    out = folded;
    wide = true;
  }
  return wide;
}

}  // namespace wafd::detect::url
