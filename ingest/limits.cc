#include "ingest/limits.h"

#include <algorithm>

#include "detect/core/ip_address.h"

namespace wafd::ingest {

TimeLimit time_limit(const IngestLimits& limits, Turn turn, std::int64_t arrived_us,
                     std::int64_t now_us) noexcept {
  TimeLimit out;
  out.late = turn == Turn::kLate;
  out.block_late = limits.on_overload == OnOverload::kBlock && limits.enforcing;
  const std::int64_t least_us = now_us + limits.budget_us / 8;
  out.deadline_us = out.late ? least_us : std::max(least_us, arrived_us + limits.budget_us);
  return out;
}

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
