#include "ingest/io/kit/system.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include <openssl/rand.h>

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

}  // namespace wafd::kit
