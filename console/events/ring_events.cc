#include "console/events/ring_events.h"

#include "console/events/message_text.h"

namespace wafd::console {

Result<std::string> RingEvents::list(const EventFilter& filter, std::size_t limit, const EventPlace& before) {
  return list_events(ring_, filter, limit, before.seq);
}
Result<std::string> RingEvents::detail(const EventId& id) { return event_detail(ring_, id); }
Result<std::string> RingEvents::count(const EventFilter& filter, const CountOptions& options) {
  return count_events(ring_, filter, options);
}
Result<std::string> RingEvents::histogram(const EventFilter& filter, std::size_t buckets) {
  return console::histogram(ring_, filter, buckets);
}
Result<std::string> RingEvents::top(const EventFilter& filter, std::string_view field, std::size_t limit) {
  return top_values(ring_, filter, field, limit);
}
Result<std::string> RingEvents::groups(const EventFilter& filter, GroupBy by, std::size_t limit) {
  return groups_.groups(ring_, filter, by, limit);
}
Result<boost::json::object> RingEvents::message(const EventId& id, const MessageOptions& options) {
  return event_message(ring_, id, options.target, options.node, options.zone);
}
std::unique_ptr<BodySource> RingEvents::export_events(EventFilter filter, ExportFormat format) {
  return console::export_events(ring_, std::move(filter), format);
}
std::unique_ptr<BodySource> RingEvents::tail_events(TailOptions options) {
  return console::tail_events(ring_, std::move(options));
}

}  // namespace wafd::console
