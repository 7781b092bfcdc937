// One message as a target would get it, made by the formatter that delivery uses: for the settings page.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/json/object.hpp>

#include "detect/core/event_id.h"
#include "forward/format/zone_time.h"
#include "forward/ring/ring.h"
#include "forward/target/target_settings.h"

namespace wafd::console {

// {"message": the bytes as they would go onto the wire, framed on TCP and TLS; "octets": of the message
// without its frame; "truncated": cut to max_message_bytes; "source": "wanted", "latest" or "invented";
// "event_id"}. The event is `wanted` (nothing if the ring does not hold it), else the newest of the ring,
// else an invented one with `fresh` as id. Any thread.
std::optional<boost::json::object> preview_message(const forward::TargetSettings& target,
                                                   const forward::Ring& ring, std::string_view node,
                                                   forward::ZoneTime zone,
                                                   const std::optional<EventId>& wanted, const EventId& fresh,
                                                   std::int64_t now_us);

}  // namespace wafd::console
