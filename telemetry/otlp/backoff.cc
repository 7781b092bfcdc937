#include "telemetry/otlp/backoff.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace wafd::telemetry {

std::int64_t Backoff::failed(std::optional<std::int64_t> retry_after_s) noexcept {
  const std::int64_t whole = std::exchange(next_ms_, std::min(next_ms_ * 2, kMostMs));
  if (retry_after_s && *retry_after_s > 0) return std::min(*retry_after_s, kMostRetryAfterS) * 1'000;
  std::array<std::byte, 4> bytes{};
  random_.fill(bytes);
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return whole / 2 + static_cast<std::int64_t>(number) % (whole / 2 + 1);
}

}  // namespace wafd::telemetry
