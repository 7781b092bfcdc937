#include "forward/io/tcp_facts.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace wafd::forward {

std::optional<TcpFacts> tcp_facts(int descriptor) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return std::nullopt;
  return TcpFacts{info.tcpi_bytes_acked, info.tcpi_snd_wnd,
                  std::uint32_t{info.tcpi_retransmits} + info.tcpi_probes, info.tcpi_last_ack_recv};
}

bool peer_silent(const TcpFacts& facts, std::int64_t silent_ms) noexcept {
  constexpr unsigned kUnanswered = 3;
  return facts.unanswered >= kUnanswered && facts.since_ack_ms >= silent_ms;
}

int unacknowledged_bytes(int descriptor) noexcept {
  int bytes = 0;
  return ioctl(descriptor, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

void set_keepalive(int descriptor) noexcept {
  const int on = 1, idle_s = 15, interval_s = 10, count = 6;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

}  // namespace wafd::forward
