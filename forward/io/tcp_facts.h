// The kernel's figures of a TCP connection. A unit of its own, because <linux/tcp.h> collides with what
// libuv includes.
#pragma once

#include <cstdint>
#include <optional>

namespace wafd::forward {

struct TcpFacts {
  // tcpi_bytes_acked: counts the SYN too, so take a base when the connection begins
  std::uint64_t acked_bytes = 0;
  std::uint64_t peer_window = 0;  // advertised now
  unsigned unanswered = 0;        // segments and window probes sent again since the peer's last answer
  std::int64_t since_ack_ms = 0;  // since the peer's kernel acknowledged anything
};

// Nothing if the descriptor is no connected TCP socket.
std::optional<TcpFacts> tcp_facts(int descriptor) noexcept;

// Whether the peer's kernel has gone while bytes are on their way to it: keepalive probes are not sent then,
// and retransmission alone goes on for a quarter of an hour. A peer that only reads nothing answers every
// window probe, so a zero window never counts; nor does mere time.
bool peer_silent(const TcpFacts& facts, std::int64_t silent_ms) noexcept;

// Bytes written and not yet acknowledged by the peer's kernel (SIOCOUTQ); -1: cannot tell.
int unacknowledged_bytes(int descriptor) noexcept;

// Half-open peers of idle connections are found by probes after 15 s idle, every 10 s, six times. Each answer
// also tells the window again, which a reader that has caught up need not announce by itself. No
// TCP_USER_TIMEOUT: a zero window is back-pressure, not death.
void set_keepalive(int descriptor) noexcept;

}  // namespace wafd::forward
