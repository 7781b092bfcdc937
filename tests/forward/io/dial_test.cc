// A connection of TCP to itself: what the kernel makes when the port that nobody listens on is the one it
// chooses as the source. In a network of its own, which has that port alone.
#include "forward/io/dial.h"

#include <cstdio>
#include <fstream>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/forward/io/loop_help.h"

namespace wafd::forward {
namespace {

constexpr std::uint16_t kPort = 45'001;

bool begin_network() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::snprintf(request.ifr_name, sizeof request.ifr_name, "lo");
  ::ioctl(fd, SIOCGIFFLAGS, &request);
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  const bool up = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  ::close(fd);
  std::ofstream range("/proc/sys/net/ipv4/ip_local_port_range");
  range << kPort << ' ' << kPort << std::flush;
  return up && range.good();
}

// Whether the kernel does here what this is about.
bool connects_to_itself() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{}, from{};
  to.sin_family = AF_INET;
  to.sin_port = htons(kPort);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof from;
  const bool made = ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 &&
                    ::getsockname(fd, reinterpret_cast<sockaddr*>(&from), &size) == 0 &&
                    from.sin_port == to.sin_port;
  const linger at_once{1, 0};  // no TIME_WAIT: the port is needed again
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(fd);
  return made;
}

int dial_itself() {
  if (!begin_network()) return 2;
  if (!connects_to_itself()) return 3;
  kit::Loop loop;
  bool connected = false;
  std::string why;
  Dial::Callbacks callbacks;
  callbacks.connected = [&](Link) { connected = true; };
  callbacks.failed = [&](DialStage, const Error& error) { why = error.what; };
  DialOptions options;
  options.to = {"127.0.0.1", kPort};
  options.transport = Transport::kTcp;
  const Dial dial(loop, options, callbacks);
  if (!test::run_until(loop, [&] { return connected || !why.empty(); })) return 4;
  std::fprintf(stderr, "%s\n", why.c_str());
  return connected ? 5 : 0;
}

TEST(Dial, AConnectionToItselfIsNobody) {
  EXPECT_EXIT(std::_Exit(dial_itself()), ::testing::ExitedWithCode(0),
              "connect to 127.0.0.1:45001: connection refused");
}

}  // namespace
}  // namespace wafd::forward
