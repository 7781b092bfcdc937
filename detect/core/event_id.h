// The id of an event: 128 random bits made here, the same in the 403 body, the ring, the console and syslog.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "detect/core/clock.h"

namespace wafd {

struct EventId {
  std::array<std::uint8_t, 16> bytes{};

  static EventId make(Random& random) noexcept;
  // Of a request that was blocked without being judged: its first 8 bytes are 0, so that whoever is asked
  // about it can say that there is no event.
  static EventId make_unjudged(Random& random) noexcept;
  bool is_unjudged() const noexcept;
  // Exactly 32 lower-case hex digits, else nothing.
  static std::optional<EventId> parse(std::string_view text) noexcept;
  std::string text() const;  // 32 lower-case hex digits

  auto operator<=>(const EventId&) const = default;
};

}  // namespace wafd
