// An invented event in the shape of a real one, for the `sample` test of a target.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/event_record.h"
#include "forward/format/zone_time.h"

namespace wafd::forward {

// Nothing in it comes from traffic: addresses are of the documentation ranges (RFC 5737), host shop.example
// (RFC 2606), `reason` says that it is a sample. `id` is what to search for at the receiver.
EventRecord sample_event(const EventId& id, std::string_view node, std::int64_t now_us, ZoneTime& zone);

}  // namespace wafd::forward
