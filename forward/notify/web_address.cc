#include "forward/notify/web_address.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "detect/core/bytes.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {
namespace {

constexpr std::uint16_t port_of(bool encrypted) noexcept { return encrypted ? 443 : 80; }

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

}  // namespace

std::string WebAddress::origin() const {
  const bool literal = host.find(':') != std::string::npos;
  std::string out =
      fmt::format("{}://{}{}{}", encrypted ? "https" : "http", literal ? "[" : "", host, literal ? "]" : "");
  if (port != port_of(encrypted)) out += fmt::format(":{}", port);
  return out;
}

std::optional<WebAddress> parse_web_address(std::string_view url) {
  WebAddress out;
  if (istarts_with(url, "https://")) {
    url.remove_prefix(8);
  } else if (istarts_with(url, "http://")) {
    url.remove_prefix(7);
    out.encrypted = false;
  } else {
    return std::nullopt;
  }
  const bool sound = std::all_of(url.begin(), url.end(), [](char c) {
    return byte(c) > 0x20 && byte(c) < 0x7f && c != '#' && c != '"' && c != '<' && c != '>' && c != '\\';
  });
  if (!sound) return std::nullopt;
  const std::size_t slash = std::min(url.find_first_of("/?"), url.size());
  std::string_view authority = url.substr(0, slash);
  out.path = std::string(url.substr(slash));
  if (!out.path.starts_with('/')) out.path.insert(out.path.begin(), '/');
  out.port = port_of(out.encrypted);
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
    if (out.host.find(':') == std::string::npos) return std::nullopt;
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    out.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!port.empty()) {
    const auto number = port[0] == ':' ? parse_port(port.substr(1)) : std::nullopt;
    if (!number) return std::nullopt;
    out.port = *number;
  }
  if (!valid_host(out.host)) return std::nullopt;
  return out;
}

}  // namespace wafd::forward
