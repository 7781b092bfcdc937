// The nodes of a fleet, read from its database: one question at a time, whoever wants to know.
#pragma once

#include "console/base/fleet_nodes.h"
#include "console/io/fleet/background_query.h"
#include "forward/io/fleet_database.h"

namespace wafd::console {

class FleetNodeWatch final : public FleetNodes {
 public:
  // Both outlive it; it asks on a thread of `pool`.
  FleetNodeWatch(forward::FleetDatabase& database, Background& pool) : database_(database), looks_(pool) {
    facts_.place = database.place();
  }

  const FleetFacts& facts() override {
    take();
    return facts_;
  }
  void look() override;
  Result<std::vector<std::string>> forget(const std::string& instance) override;

 private:
  void take();

  forward::FleetDatabase& database_;
  FleetFacts facts_;
  BackgroundQuery<std::vector<FleetNodeFacts>> looks_;
};

}  // namespace wafd::console
