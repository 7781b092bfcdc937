// Bodies that are made of the events of all nodes while they are sent: the export, the live tail. Pulled on
// the loop, asked on threads that may wait.
#pragma once

#include <memory>

#include "console/base/background.h"
#include "console/events/streams.h"
#include "console/io/fleet/fleet_tail_hub.h"
#include "forward/io/fleet_database.h"

namespace wafd::console {

// As export_events(); a database that goes away meanwhile cuts the body.
std::unique_ptr<BodySource> export_fleet(forward::FleetDatabase& database, Background& pool,
                                         const EventFilter& filter, ExportFormat format);

// As tail_events() over the events of all nodes; `after` and the ids of events are times of the database in
// microseconds: when the last event was stored. Who comes back is given what was stored a moment before once
// more. While the database does not answer, the event "fleet" says so (`answered`, `why`), and again when it
// does; then everything is given that was stored meanwhile. "amended" is not told.
std::unique_ptr<BodySource> tail_fleet(std::shared_ptr<FleetTailHub> hub, TailOptions options);

}  // namespace wafd::console
