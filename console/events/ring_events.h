// The events of this node.
#pragma once

#include <memory>

#include "console/events/event_source.h"
#include "forward/ring/ring.h"

namespace wafd::console {

class RingEvents final : public EventSource {
 public:
  explicit RingEvents(const forward::Ring& ring) : ring_(ring) {}

  Result<std::string> list(const EventFilter& filter, std::size_t limit, const EventPlace& before) override;
  Result<std::string> detail(const EventId& id) override;
  Result<std::string> count(const EventFilter& filter, const CountOptions& options) override;
  Result<std::string> histogram(const EventFilter& filter, std::size_t buckets) override;
  Result<std::string> top(const EventFilter& filter, std::string_view field, std::size_t limit) override;
  Result<std::string> groups(const EventFilter& filter, GroupBy by, std::size_t limit) override;
  Result<boost::json::object> message(const EventId& id, const MessageOptions& options) override;
  std::unique_ptr<BodySource> export_events(EventFilter filter, ExportFormat format) override;
  std::unique_ptr<BodySource> tail_events(TailOptions options) override;

 private:
  const forward::Ring& ring_;
  GroupIndex groups_;
};

}  // namespace wafd::console
