#include "console/events/message_text.h"

#include <string>

#include "forward/format/message.h"

namespace wafd::console {

boost::json::object record_message(const forward::RecordView& record, const forward::TargetSettings& target,
                                   std::string_view node, const forward::ZoneTime& zone) {
  forward::MessageMaker maker(forward::message_settings(target), node, zone);
  const forward::Message message = maker.event(record, 0);
  boost::json::object out;
  out["message"] = std::string(message.header) + std::string(message.content);
  out["octets"] = message.size();
  out["truncated"] = message.truncated;
  out["target"] = target.name;
  return out;
}

Result<boost::json::object> event_message(const forward::Ring& ring, const EventId& id,
                                          const forward::TargetSettings& target, std::string_view node,
                                          const forward::ZoneTime& zone) {
  forward::RingReader reader(ring);
  const forward::RecordView* found = reader.find(id);
  if (found == nullptr) return fail(ErrorCode::kUnknown, "the ring does not hold this event");
  forward::RecordView record = *found;
  const std::string merged = reader.merged_json(record);
  record.json = merged;
  return record_message(record, target, node, zone);
}

}  // namespace wafd::console
