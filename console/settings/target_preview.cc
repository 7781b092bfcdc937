#include "console/settings/target_preview.h"

#include <string>

#include "forward/format/message.h"
#include "forward/format/sample_event.h"
#include "forward/protocol/framing.h"

namespace wafd::console {
namespace {

constexpr std::size_t kMaxRecordBytes = 4u << 20;

forward::RecordView view_of(const EventRecord& event) {
  forward::RecordView view;
  view.time_ms = event.time_ms;
  view.id = event.id;
  view.attack_type = event.attack_type;
  view.risk = event.risk;
  view.action = event.action;
  view.json = event.json;
  return view;
}

bool framed(forward::Transport transport) {
  return transport == forward::Transport::kTcp || transport == forward::Transport::kTls;
}

}  // namespace

std::optional<boost::json::object> preview_message(const forward::TargetSettings& target,
                                                   const forward::Ring& ring, std::string_view node,
                                                   forward::ZoneTime zone,
                                                   const std::optional<EventId>& wanted, const EventId& fresh,
                                                   std::int64_t now_us) {
  forward::RingReader reader(ring);
  EventRecord invented;
  std::string merged;
  forward::RecordView view;
  const char* source = wanted ? "wanted" : "latest";
  const forward::RecordView* found = nullptr;
  if (wanted) {
    found = reader.find(*wanted);
    if (found == nullptr) return std::nullopt;
  } else if (const auto latest = reader.read_before(ring.end(), 1, kMaxRecordBytes); !latest.empty()) {
    found = &latest.front();
  }
  if (found != nullptr) {
    view = *found;
    merged = reader.merged_json(view);
    view.json = merged;
  } else {
    source = "invented";
    invented = forward::sample_event(fresh, node, now_us, zone);
    view = view_of(invented);
  }
  forward::MessageMaker maker(forward::message_settings(target), node, zone);
  const forward::Message message = maker.event(view, target.sequence_id ? 1 : 0);
  const bool row = target.transport == forward::Transport::kPostgresql;  // of which the record is a column
  std::string bytes;
  if (row)
    bytes = message.content;
  else if (framed(target.transport))
    forward::append_frame(target.framing, message.header, message.content, bytes);
  else
    bytes.append(message.header).append(message.content);
  return boost::json::object{{"message", bytes},
                             {"octets", row ? message.content.size() : message.size()},
                             {"truncated", message.truncated},
                             {"source", source},
                             {"event_id", view.id.text()}};
}

}  // namespace wafd::console
