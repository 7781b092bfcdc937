// The events of all nodes, read from the fleet's database; this node's own where that does not answer, and
// the answer says so: `fleet` with `answered` and, if not, `why`. An event that is in this node's ring needs
// no database. What people say of events is in the database alone: a query for that is an error while it is
// away.
#pragma once

#include <memory>
#include <optional>

#include "console/events/event_source.h"
#include "console/io/fleet/fleet_tail_hub.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_events.h"

namespace wafd::console {

class FleetSource final : public EventSource {
 public:
  // All outlive it. `exports`, `tails`: where they ask, each for itself, so that no export holds up a tail.
  FleetSource(forward::FleetDatabase& database, EventSource& own, Background& exports,
              forward::FleetDatabase& tail_database, Background& tails)
      : database_(database),
        own_(own),
        exports_(exports),
        tails_(std::make_shared<FleetTailHub>(tail_database, tails)) {}

  Result<std::string> list(const EventFilter& filter, std::size_t limit, const EventPlace& before) override;
  Result<std::string> detail(const EventId& id) override;
  Result<std::string> count(const EventFilter& filter, const CountOptions& options) override;
  Result<std::string> histogram(const EventFilter& filter, std::size_t buckets) override;
  Result<std::string> top(const EventFilter& filter, std::string_view field, std::size_t limit) override;
  Result<std::string> groups(const EventFilter& filter, GroupBy by, std::size_t limit) override;
  Result<boost::json::object> message(const EventId& id, const MessageOptions& options) override;
  std::string away() const override;
  std::unique_ptr<BodySource> export_events(EventFilter filter, ExportFormat format) override;
  std::unique_ptr<BodySource> tail_events(TailOptions options) override;

 private:
  Result<std::string> list_all(const EventFilter& filter, std::size_t limit,
                               const std::optional<forward::FleetPlace>& before);
  Result<std::string> count_all(const EventFilter& filter, const CountOptions& options);
  // The event, or where it is pinned and gone what was pinned of it.
  struct Found;
  Result<Found> find(const EventId& id);

  forward::FleetDatabase& database_;
  EventSource& own_;
  Background& exports_;
  std::shared_ptr<FleetTailHub> tails_;
};

}  // namespace wafd::console
