#include "detect/core/event_id.h"

#include <algorithm>
#include <span>

#include "detect/core/octets.h"

namespace wafd {

EventId EventId::make(Random& random) noexcept {
  EventId id;
  random.fill(std::as_writable_bytes(std::span(id.octets)));
  return id;
}

EventId EventId::make_unjudged(Random& random) noexcept {
  EventId id = make(random);
  std::fill_n(id.octets.begin(), 8, std::uint8_t{0});
  return id;
}

bool EventId::is_unjudged() const noexcept {
  return std::all_of(octets.begin(), octets.begin() + 8, [](std::uint8_t octet) { return octet == 0; });
}

std::optional<EventId> EventId::parse(std::string_view text) noexcept {
  EventId id;
  if (text.size() != id.octets.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 'A' && c <= 'F') return std::nullopt;
    const int digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    id.octets[i / 2] = static_cast<std::uint8_t>((id.octets[i / 2] << 4) | digit);
  }
  return id;
}

std::string EventId::text() const {
  return to_hex(std::string_view(reinterpret_cast<const char*>(octets.data()), octets.size()));
}

}  // namespace wafd
