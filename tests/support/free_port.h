// Ports of loopback for daemons that are told theirs. They lie below those that the kernel gives to outgoing
// connections (ip_local_port_range, from 32768 on), and none is given twice in a process. Header-only.
#pragma once

#include <cstdint>
#include <random>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace wafd::test {

inline bool is_free(std::uint16_t port, int type) {
  const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return bound;
}

// A port that nobody uses now, neither TCP nor UDP. Each process begins somewhere else, so that two that run
// side by side hardly meet. Throws std::runtime_error when all are taken. One thread at a time.
inline std::uint16_t free_port() {
  constexpr std::uint32_t first = 16384;
  constexpr std::uint32_t count = 16384;
  static std::uint32_t next = std::random_device{}() % count;
  for (std::uint32_t tried = 0; tried < count; ++tried) {
    const auto port = static_cast<std::uint16_t>(first + next);
    next = (next + 1) % count;
    if (is_free(port, SOCK_STREAM) && is_free(port, SOCK_DGRAM)) return port;
  }
  throw std::runtime_error("no free port");
}

}  // namespace wafd::test
