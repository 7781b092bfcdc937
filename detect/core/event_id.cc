#include "detect/core/event_id.h"

#include <algorithm>
#include <span>

#include "detect/core/bytes.h"

namespace wafd {

EventId EventId::make(Random& random) noexcept {
  EventId id;
  random.fill(std::as_writable_bytes(std::span(id.bytes)));
  return id;
}

EventId EventId::make_unjudged(Random& random) noexcept {
  EventId id = make(random);
  std::fill_n(id.bytes.begin(), 8, std::uint8_t{0});
  return id;
}

bool EventId::is_unjudged() const noexcept {
  return std::all_of(bytes.begin(), bytes.begin() + 8, [](std::uint8_t byte) { return byte == 0; });
}

std::optional<EventId> EventId::parse(std::string_view text) noexcept {
  EventId id;
  if (text.size() != id.bytes.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= 'A' && c <= 'F') return std::nullopt;
    const int digit = hex_value(c);
    if (digit < 0) return std::nullopt;
    id.bytes[i / 2] = static_cast<std::uint8_t>((id.bytes[i / 2] << 4) | digit);
  }
  return id;
}

std::string EventId::text() const {
  return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace wafd
