#include "console/io/fleet/fleet_triage_book.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "console/io/fleet/fleet_answers.h"
#include "forward/io/postgres/fleet_triage.h"

namespace wafd::console {

using forward::PgConnection;

Result<std::vector<MarkedEvent>> FleetTriageBook::read(const std::vector<EventId>& ids) {
  const auto read = ask_fleet(
      database_, {}, [&](PgConnection& connection) { return forward::read_fleet_triage(connection, ids); });
  if (!read) return tl::unexpected(read.error());
  std::map<EventId, const forward::FleetTriage*> found;
  for (const forward::FleetTriage& one : *read) found[one.id] = &one;
  std::vector<MarkedEvent> out;
  for (const EventId& id : ids) {
    MarkedEvent& marked = out.emplace_back(MarkedEvent{id, {}, false});
    const auto at = found.find(id);
    if (at == found.end()) continue;
    const forward::FleetTriage& one = *at->second;
    marked.triage = {one.closed, parse_label(one.label).value_or(Label::kNone), one.note, one.by,
                     one.at_ms.value_or(0)};
    marked.pinned = one.pinned;
  }
  return out;
}

Result<std::vector<MarkedEvent>> FleetTriageBook::change(const std::vector<EventId>& ids,
                                                         const TriageChange& change) {
  forward::FleetTriageChange wanted;
  wanted.closed = change.closed;
  if (change.label) wanted.label = to_string(*change.label);
  wanted.note = change.note;
  wanted.by = change.by;
  wanted.at_ms = change.at_ms;
  std::vector<EventId> once = ids;
  std::sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  const auto there = ask_fleet(database_, {}, [&](PgConnection& connection) {
    return forward::set_fleet_triage(connection, once, wanted);
  });
  if (!there) return tl::unexpected(there.error());
  if (*there < once.size())
    return fail(
        ErrorCode::kUnknown,
        fmt::format("The fleet's database lacks {} of these events: they are not there yet, or no longer.",
                    once.size() - *there));
  return read(ids);
}

Result<std::vector<std::pair<EventId, Pin>>> FleetTriageBook::pins() {
  auto read = ask_fleet(database_, {},
                        [&](PgConnection& connection) { return forward::read_fleet_pins(connection); });
  if (!read) return tl::unexpected(read.error());
  std::vector<std::pair<EventId, Pin>> out;
  for (forward::FleetPin& pin : *read)
    out.emplace_back(pin.id, Pin{std::move(pin.by), pin.at_ms, std::move(pin.event)});
  return out;
}

Result<Pin> FleetTriageBook::pin(const EventId& id, const Pin& pin) {
  auto there = ask_fleet(database_, {}, [&](PgConnection& connection) {
    return forward::add_fleet_pin(connection, {id, pin.by, pin.at_ms, pin.event}, kMaxPins);
  });
  if (!there) return tl::unexpected(there.error());
  if (!*there) return fail(ErrorCode::kConflict, "There are 500 pinned events already.");
  return Pin{std::move((*there)->by), (*there)->at_ms, std::move((*there)->event)};
}

Result<bool> FleetTriageBook::unpin(const EventId& id) {
  return ask_fleet(database_, {},
                   [&](PgConnection& connection) { return forward::remove_fleet_pin(connection, id); });
}

}  // namespace wafd::console
