#include "forward/io/postgres/fleet_triage.h"

#include <cstdlib>

#include <fmt/format.h>

#include "forward/io/postgres/array_literal.h"
#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/write_once.h"

namespace wafd::forward {
namespace {

std::string id_list(const std::vector<EventId>& ids) {
  return array_literal(ids, [](const EventId& id) { return id.text(); });
}

// No text of PostgreSQL holds a NUL.
std::string without_zero(std::string text) {
  std::erase(text, '\0');
  return text;
}

constexpr std::string_view kPinColumns =
    "replace(wafd_pins.event_id::text, '-', ''), wafd_pins.pinned_by, "
    "(extract(epoch FROM wafd_pins.pinned_at) * 1000)::bigint, wafd_pins.event";

FleetPin fleet_pin_at(const PgAnswer& answer, int row) {
  return {EventId::parse(PQgetvalue(answer.get(), row, 0)).value_or(EventId()),
          PQgetvalue(answer.get(), row, 1), std::strtoll(PQgetvalue(answer.get(), row, 2), nullptr, 10),
          PQgetvalue(answer.get(), row, 3)};
}

std::optional<FleetPin> first_fleet_pin(const PgAnswer& answer) {
  if (PQntuples(answer.get()) == 0) return std::nullopt;
  return fleet_pin_at(answer, 0);
}

// Id, state, label, note, who, when, whether it is pinned.
std::vector<FleetTriage> fleet_triage_of(const PgAnswer& answer) {
  std::vector<FleetTriage> out;
  for (int row = 0; row < PQntuples(answer.get()); ++row) {
    const auto text = [&](int column) { return std::string(PQgetvalue(answer.get(), row, column)); };
    FleetTriage one;
    one.id = EventId::parse(text(0)).value_or(EventId());
    one.closed = text(1) == "closed";
    one.label = text(2);
    one.note = text(3);
    one.by = text(4);
    if (!PQgetisnull(answer.get(), row, 5)) one.at_ms = std::strtoll(text(5).c_str(), nullptr, 10);
    one.pinned = text(6) == "t";
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

PgResult<std::vector<FleetTriage>> read_fleet_triage(PgConnection& connection,
                                                     const std::vector<EventId>& ids) {
  const std::string parameters[] = {id_list(ids)};
  const auto answer = connection.run(
      "SELECT replace(wanted.id::text, '-', ''), coalesce(event.state, 'open'), coalesce(event.label, ''), "
      "coalesce(event.note, ''), coalesce(event.triage_by, ''), "
      "(extract(epoch FROM event.triage_at) * 1000)::bigint, pin.event_id IS NOT NULL "
      "FROM unnest($1::uuid[]) AS wanted(id) LEFT JOIN wafd_events AS event ON event.event_id = wanted.id "
      "LEFT JOIN wafd_pins AS pin ON pin.event_id = wanted.id",
      parameters);
  if (!answer) return tl::unexpected(answer.error());
  return fleet_triage_of(*answer);
}

PgResult<std::vector<FleetTriage>> set_fleet_triage(PgConnection& connection, const std::vector<EventId>& ids,
                                                    const FleetTriageChange& change) {
  std::vector<std::string> parameters{id_list(ids), change.by, time_text(change.at_ms)};
  std::string sql = "UPDATE wafd_events SET triage_by = $2, triage_at = $3::timestamptz";
  const auto add = [&](std::string_view column, std::string value) {
    parameters.push_back(without_zero(std::move(value)));
    sql += fmt::format(", {} = ${}", column, parameters.size());
  };
  if (change.closed) add("state", *change.closed ? "closed" : "open");
  if (change.label) add("label", *change.label);
  if (change.note) add("note", *change.note);
  // The same statement returns the new state: no second query can fail after the change was stored.
  sql +=
      " WHERE event_id = ANY ($1::uuid[]) RETURNING replace(event_id::text, '-', ''), state, label, note, "
      "triage_by, (extract(epoch FROM triage_at) * 1000)::bigint, "
      "EXISTS (SELECT 1 FROM wafd_pins WHERE wafd_pins.event_id = wafd_events.event_id)";
  const auto done = write_once(connection, sql, parameters, ids.size());
  if (!done) return tl::unexpected(done.error());
  return fleet_triage_of(*done);
}

PgResult<std::vector<FleetPin>> read_fleet_pins(PgConnection& connection) {
  const auto answer =
      connection.run(fmt::format("SELECT {} FROM wafd_pins ORDER BY pinned_at DESC, event_id", kPinColumns));
  if (!answer) return tl::unexpected(answer.error());
  std::vector<FleetPin> out;
  out.reserve(static_cast<std::size_t>(PQntuples(answer->get())));
  for (int row = 0; row < PQntuples(answer->get()); ++row) out.push_back(fleet_pin_at(*answer, row));
  return out;
}

PgResult<std::optional<FleetPin>> add_fleet_pin(PgConnection& connection, const FleetPin& pin,
                                                std::size_t most) {
  const auto done = write_once(
      connection,
      fmt::format(
          "INSERT INTO wafd_pins (event_id, pinned_by, pinned_at, event) SELECT $1::uuid, $2, "
          "$3::timestamptz, $4 WHERE (SELECT count(*) FROM wafd_pins WHERE event_id <> $1::uuid) < {} "
          "ON CONFLICT (event_id) DO UPDATE SET event_id = excluded.event_id RETURNING {}",
          most, kPinColumns),
      {pin.id.text(), pin.by, time_text(pin.at_ms), without_zero(pin.event)});
  if (!done) return tl::unexpected(done.error());
  return first_fleet_pin(*done);
}

PgResult<std::optional<FleetPin>> find_fleet_pin(PgConnection& connection, const EventId& id) {
  const std::string parameters[] = {id.text()};
  const auto found = connection.run(
      fmt::format("SELECT {} FROM wafd_pins WHERE event_id = $1::uuid", kPinColumns), parameters);
  if (!found) return tl::unexpected(found.error());
  return first_fleet_pin(*found);
}

PgResult<void> remove_fleet_pin(PgConnection& connection, const EventId& id, bool& gone) {
  const auto done = write_once(connection, "DELETE FROM wafd_pins WHERE event_id = $1::uuid", {id.text()}, 0,
                               [&](const PgAnswer& answer) { gone |= changed_rows(answer) > 0; });
  if (!done) return tl::unexpected(done.error());
  return {};
}

}  // namespace wafd::forward
