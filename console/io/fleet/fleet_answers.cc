#include "console/io/fleet/fleet_answers.h"

#include <fmt/format.h>

#include "console/events/viewer_mask.h"

namespace wafd::console {

// SQLSTATE insufficient_privilege.
constexpr std::string_view kDeniedByServer = "42501";

static_assert(static_cast<int>(MarkBit::kClosed) == forward::kFleetClosed);
static_assert(static_cast<int>(MarkBit::kTruePositive) == forward::kFleetTruePositive);
static_assert(static_cast<int>(MarkBit::kFalsePositive) == forward::kFleetFalsePositive);
static_assert(static_cast<int>(MarkBit::kPinned) == forward::kFleetPinned);

forward::FleetFilter fleet_filter(const EventFilter& filter) {
  forward::FleetFilter out;
  out.query = filter.query;
  if (filter.from_ms > 0) out.from_ms = filter.from_ms;
  if (filter.to_ms != INT64_MAX) out.to_ms = filter.to_ms;
  if (filter.masked) out.mask = forward::Mask::kViewer;
  out.needed = filter.mark_terms.needed;
  out.refused = filter.mark_terms.refused;
  return out;
}

Error fleet_error(const forward::PgError& error) {
  // A user who may not read the events of all nodes is shown those of this one.
  const bool gone = error.stage == forward::PgStage::kConnect || error.state == kDeniedByServer;
  return {gone ? ErrorCode::kIo : ErrorCode::kResource, 0, "the database of the fleet: " + text_of(error)};
}

void append_fleet_event(const forward::FleetEvent& event, bool masked, std::string& out) {
  out += fmt::format(R"({{"seq":{},"place":"{}","record":)", event.seq, event.place.text());
  out += masked ? masked_record(event.record) : event.record;
  out += '}';
}

std::string fleet_detail(const forward::FleetEvent& event) {
  return fmt::format(
      R"({{"seq":{},"place":"{}","record":{},"detail":{}}})", event.seq, event.place.text(), event.record,
      detail_with_response(event.detail, event.response_size.has_value(),
                           static_cast<unsigned>(event.status.value_or(0)), event.response_size.value_or(0)));
}

}  // namespace wafd::console
