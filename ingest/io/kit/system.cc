#include "ingest/io/kit/system.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <openssl/rand.h>
#include <unistd.h>

namespace wafd::kit {
namespace {

std::int64_t read_clock(clockid_t id) noexcept {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000 + t.tv_nsec / 1000;
}

}  // namespace

std::int64_t SystemClock::unix_us() const noexcept { return read_clock(CLOCK_REALTIME); }
std::int64_t SystemClock::monotonic_us() const noexcept { return read_clock(CLOCK_MONOTONIC); }

void SystemRandom::fill(std::span<std::byte> out) noexcept {
  while (!out.empty()) {
    const auto part = std::min<std::size_t>(out.size(), 1u << 20);
    if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(part)) != 1) std::abort();
    out = out.subspan(part);
  }
}

bool out_of_descriptors() noexcept {
  const int one = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (one >= 0) {
    ::close(one);
    return false;
  }
  return errno == EMFILE || errno == ENFILE;
}

std::vector<IpAddress> local_addresses(bool loopback) {
  std::vector<IpAddress> out;
  ifaddrs* interfaces = nullptr;
  if (::getifaddrs(&interfaces) != 0) return out;
  for (const ifaddrs* at = interfaces; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || (!loopback && (at->ifa_flags & IFF_LOOPBACK) != 0)) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* address = nullptr;
    if (at->ifa_addr->sa_family == AF_INET)
      address = &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr;
    if (at->ifa_addr->sa_family == AF_INET6)
      address = &reinterpret_cast<const sockaddr_in6*>(at->ifa_addr)->sin6_addr;
    if (address == nullptr ||
        ::inet_ntop(at->ifa_addr->sa_family, address, text.data(), text.size()) == nullptr)
      continue;
    if (const auto parsed = IpAddress::parse(text.data())) out.push_back(*parsed);
  }
  ::freeifaddrs(interfaces);
  return out;
}

}  // namespace wafd::kit
