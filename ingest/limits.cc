#include "ingest/limits.h"

#include "detect/core/ip_address.h"

namespace wafd::ingest {

std::string_view clean_address(std::string_view text, std::string& room) {
  if (const auto address = IpAddress::parse(text)) {
    if (!address->is_v4() || text.find(':') == std::string_view::npos) return text;
    room = address->text();
    return room;
  }
  if (const auto endpoint = Endpoint::parse(text)) {
    room = endpoint->address.text();
    return room;
  }
  return {};
}

}  // namespace wafd::ingest
