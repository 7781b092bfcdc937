// From a receiver's name to a socket: resolve, check the address, connect. The one way out, for delivery and
// the tester.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "detect/core/error.h"
#include "detect/core/ip_address.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/connect.h"
#include "ingest/io/kit/resolver.h"
#include "ingest/io/kit/udp.h"

namespace wafd::forward {

struct DialOptions {
  HostPort to;
  Transport transport = Transport::kUdp;
  std::string source_address;           // empty: the system's choice
  std::vector<Endpoint> own_listeners;  // never connected to
  std::int64_t timeout_ms = 5000;       // of the connect alone, over all addresses
  kit::ResolveOptions resolve;
  std::size_t attempt = 0;  // of a name with several addresses, begin with this one (modulo)
};

// The result of a dial; `stream` for TCP and TLS (the handshake is the caller's), `datagrams` for UDP.
struct Link {
  Endpoint peer;
  std::unique_ptr<kit::Stream> stream;
  std::unique_ptr<kit::UdpSocket> datagrams;
};

enum class DialStage : std::uint8_t { kResolve, kConnect };

// One attempt. Callbacks come on the loop's thread, never from within the constructor; any
// but resolved may destroy the Dial. Exactly one of connected and failed is called. The destructor gives up
// silently.
class Dial {
 public:
  struct Callbacks {
    // The addresses that may be connected to, in the order in which they will be tried.
    std::function<void(const std::vector<IpAddress>& addresses)> resolved;
    std::function<void(Link link)> connected;
    std::function<void(DialStage stage, const Error& error)> failed;
    // Later, for UDP: what ICMP told of a datagram sent on the link.
    std::function<void(const Error& error)> datagram_error;
  };

  Dial(kit::Loop& loop, DialOptions options, Callbacks callbacks);

 private:
  void on_addresses(kit::ResolveResult result);
  void next_address();
  void fail_with(DialStage stage, Error error);

  kit::Loop& loop_;
  DialOptions options_;
  Callbacks callbacks_;
  std::vector<IpAddress> addresses_;
  std::size_t index_ = 0;
  std::int64_t deadline_ms_ = 0;
  Error last_error_;
  std::unique_ptr<kit::ResolveQuery> query_;
  std::unique_ptr<kit::Connector> connector_;
};

}  // namespace wafd::forward
