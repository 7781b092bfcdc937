// The events of all nodes, read from the fleet's database; this node's own where that does not answer, and
// the answer says so: `fleet` with `answered` and, if not, `why`. An event that is in this node's ring needs
// no database.
#pragma once

#include <memory>
#include <optional>

#include "console/events/event_source.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_events.h"

namespace wafd::console {

class FleetSource final : public EventSource {
 public:
  // Both outlive it.
  FleetSource(forward::FleetDatabase& database, EventSource& own) : database_(database), own_(own) {}

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
  Result<std::string> list_all(const EventFilter& filter, std::size_t limit,
                               const std::optional<forward::FleetPlace>& before);
  Result<std::string> count_all(const EventFilter& filter, const CountOptions& options);
  Result<forward::FleetEvent> find(const EventId& id);

  forward::FleetDatabase& database_;
  EventSource& own_;
};

}  // namespace wafd::console
