// A connected UDP socket that sends.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "detect/core/ip_address.h"
#include "ingest/io/kit/loop.h"

namespace wafd::kit {

class UdpSocket {
 public:
  // `on_error`: what the network said later of a datagram, such as "connection refused" (ICMP port
  // unreachable). It may destroy the socket.
  static Result<std::unique_ptr<UdpSocket>> connect(Loop& loop, const Endpoint& to,
                                                    std::optional<IpAddress> source,
                                                    std::function<void(const Error&)> on_error);
  ~UdpSocket();
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  // One datagram of one or two pieces, at once or not at all. kResource: the socket's buffer is full, try
  // later; kTooLarge: more than the path or the protocol takes; kIo: among others the error of an earlier
  // datagram, and this one did not go out.
  Result<void> send(std::string_view bytes, std::string_view then = {});

  std::optional<Endpoint> local() const;
  int descriptor() const noexcept;

 private:
  struct State;
  explicit UdpSocket(State* state) noexcept : state_(state) {}
  State* state_;
};

}  // namespace wafd::kit
