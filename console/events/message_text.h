// One stored event as the syslog message that a target gets.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "detect/core/event_id.h"
#include "forward/format/zone_time.h"
#include "forward/ring/ring.h"
#include "forward/target/target_settings.h"

namespace wafd::console {

// {"message","octets","truncated","target"}: the message without framing, made as delivery makes it, response
// report included; a sequence number in structured data is left out, because it is counted on sending.
// kUnknown if the ring does not hold the event (any more).
Result<boost::json::object> event_message(const forward::Ring& ring, const EventId& id,
                                          const forward::TargetSettings& target, std::string_view node,
                                          const forward::ZoneTime& zone);

// Of a record that is at hand; its `json` with the response report in it.
boost::json::object record_message(const forward::RecordView& record, const forward::TargetSettings& target,
                                   std::string_view node, const forward::ZoneTime& zone);

}  // namespace wafd::console
