// One HTTP/1.1 exchange at a time over a connection of its own, by OpenSSL's BIO. For commands: it blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "detect/core/error.h"
#include "probe/probe.h"

namespace wafd::probe {

struct Url {
  bool tls = false;
  std::string host, port;
  std::string path = "/";  // with the query, if there is one

  // http://HOST[:PORT][/PATH] or https://…; IPv6 addresses in brackets.
  static Result<Url> parse(std::string_view text);
  std::string authority() const;  // for Host
};

struct ClientOptions {
  std::int64_t timeout_ms = 10'000;  // of one exchange, from the connection to the end of the answer
  bool verify = true;                // the certificate and its name, by the system's authorities
};

// `request.query` is appended to the URL's. Reads until the peer closes, at most 256 KiB. `own_address`, if
// not null, gets the address that the connection came from.
Answer exchange(const Url& url, const Request& request, const ClientOptions& options,
                std::string* own_address = nullptr);

}  // namespace wafd::probe
