// Between what the API asks and what the fleet's database answers. Pure.
#pragma once

#include <string>
#include <utility>

#include "console/events/search.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_events.h"
#include "forward/io/postgres/fleet_filter.h"

namespace wafd::console {

forward::FleetFilter fleet_filter(const EventFilter& filter);

// kIo: the database cannot be asked now.
Error fleet_error(const forward::PgError& error);

// {"seq":…,"place":…,"record":{…}}
void append_fleet_event(const forward::FleetEvent& event, bool masked, std::string& out);
// {"seq":…,"place":…,"record":{…},"detail":{…}}
std::string fleet_detail(const forward::FleetEvent& event);

// Runs `work` with a connection: a PgResult in, a Result out.
template <class Work>
auto ask_fleet(forward::FleetDatabase& database, const std::function<bool()>& over, const Work& work)
    -> Result<typename std::invoke_result_t<Work, forward::PgConnection&>::value_type> {
  using Value = typename std::invoke_result_t<Work, forward::PgConnection&>::value_type;
  std::optional<Value> out;
  const auto done = database.run(
      [&](forward::PgConnection& connection) -> forward::PgResult<void> {
        auto answer = work(connection);
        if (!answer) return tl::unexpected(std::move(answer.error()));
        out = std::move(*answer);
        return {};
      },
      over);
  if (!done) return tl::unexpected(fleet_error(done.error()));
  return std::move(*out);
}

}  // namespace wafd::console
