// Triage and pins in the database of a fleet.
#pragma once

#include "console/events/shared_triage.h"
#include "forward/io/fleet_database.h"

namespace wafd::console {

class FleetTriageBook final : public SharedTriage {
 public:
  explicit FleetTriageBook(forward::FleetDatabase& database) : database_(database) {}

  Result<std::vector<MarkedEvent>> read(const std::vector<EventId>& ids) override;
  Result<std::vector<MarkedEvent>> change(const std::vector<EventId>& ids,
                                          const TriageChange& change) override;
  Result<std::vector<std::pair<EventId, Pin>>> pins() override;
  Result<Pin> pin(const EventId& id, const Pin& pin) override;
  Result<bool> unpin(const EventId& id) override;

 private:
  forward::FleetDatabase& database_;
};

}  // namespace wafd::console
