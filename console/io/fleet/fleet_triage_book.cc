#include "console/io/fleet/fleet_triage_book.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "console/io/fleet/fleet_answers.h"
#include "forward/io/postgres/fleet_events.h"
#include "forward/io/postgres/fleet_triage.h"

namespace wafd::console {

using forward::PgConnection;

namespace {

// In the order of `ids`.
std::vector<MarkedEvent> marked_events(const std::vector<EventId>& ids,
                                       const std::vector<forward::FleetTriage>& rows) {
  std::map<EventId, const forward::FleetTriage*> found;
  for (const forward::FleetTriage& one : rows) found[one.id] = &one;
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

}  // namespace

Result<std::vector<MarkedEvent>> FleetTriageBook::read(const std::vector<EventId>& ids) {
  const auto read = ask_fleet(
      database_, {}, [&](PgConnection& connection) { return forward::read_fleet_triage(connection, ids); });
  if (!read) return tl::unexpected(read.error());
  return marked_events(ids, *read);
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
  if (there->size() < once.size())
    return fail(
        ErrorCode::kUnknown,
        fmt::format("The fleet's database lacks {} of these events: they are not there yet, or no longer.",
                    once.size() - there->size()));
  return marked_events(ids, *there);
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

// The copy is the database's own: its target may keep less of a request than this node's ring has.
Result<Pin> FleetTriageBook::pin(const EventId& id, const Pin& pin) {
  using Found = std::optional<forward::FleetPin>;
  bool missing = false;
  auto there = ask_fleet(database_, {}, [&](PgConnection& connection) -> forward::PgResult<Found> {
    auto event = forward::FleetEvents(connection).find(id);
    if (!event) return tl::unexpected(std::move(event.error()));
    missing = !*event;
    if (missing) return forward::find_fleet_pin(connection, id);
    return forward::add_fleet_pin(connection, {id, pin.by, pin.at_ms, fleet_detail(**event)}, kMaxPins);
  });
  if (!there) return tl::unexpected(there.error());
  if (!*there && missing)
    return fail(ErrorCode::kUnknown,
                "The fleet's database lacks this event: it is not there yet, or no longer.");
  if (!*there) return fail(ErrorCode::kConflict, "There are 500 pinned events already.");
  return Pin{std::move((*there)->by), (*there)->at_ms, std::move((*there)->event)};
}

Result<bool> FleetTriageBook::unpin(const EventId& id) {
  bool gone = false;
  return ask_fleet(database_, {}, [&](PgConnection& connection) -> forward::PgResult<bool> {
    auto done = forward::remove_fleet_pin(connection, id, gone);
    if (!done) return tl::unexpected(std::move(done.error()));
    return gone;
  });
}

}  // namespace wafd::console
