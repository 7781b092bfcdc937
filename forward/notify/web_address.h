// An http or https URL, taken apart as far as connecting to it needs (RFC 3986, RFC 9110 section 4.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wafd::forward {

struct WebAddress {
  bool encrypted = true;
  std::string host;  // without brackets
  std::uint16_t port = 443;
  std::string path;  // with the query; begins with /

  // "https://hooks.example:8443", the port left out where it is the scheme's own.
  std::string origin() const;
};

// Nothing for other schemes, a user name in it, a fragment, and bytes that no URL has.
std::optional<WebAddress> parse_web_address(std::string_view url);

}  // namespace wafd::forward
