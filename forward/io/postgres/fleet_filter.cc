#include "forward/io/postgres/fleet_filter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "forward/io/postgres/copy_row.h"

namespace wafd::forward {
namespace {

struct MarkCondition {
  FleetMark mark;
  std::string_view sql;
};
constexpr std::array kMarkConditions{
    MarkCondition{kFleetClosed, "state = 'closed'"},
    MarkCondition{kFleetTruePositive, "label = 'true_positive'"},
    MarkCondition{kFleetFalsePositive, "label = 'false_positive'"},
    MarkCondition{kFleetPinned,
                  "EXISTS (SELECT 1 FROM wafd_pins WHERE wafd_pins.event_id = wafd_events.event_id)"},
};

}  // namespace

std::string FleetPlace::text() const { return fmt::format("{}-{}", time_ms, id.text()); }

std::optional<FleetPlace> FleetPlace::parse(std::string_view text) noexcept {
  FleetPlace place;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place.time_ms);
  const auto used = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || place.time_ms < 0 || place.time_ms > (std::int64_t{1} << 52))
    return std::nullopt;
  if (used >= text.size() || text[used] != '-') return std::nullopt;
  const auto id = EventId::parse(text.substr(used + 1));
  if (!id) return std::nullopt;
  place.id = *id;
  return place;
}

// Of the day too, so that other days are not looked at.
FleetWhere::FleetWhere(const FleetFilter& filter, std::vector<std::string> before)
    : parameters_(std::move(before)) {
  for (const auto& [ms, day_compare, time_compare] :
       {std::tuple(filter.from_ms, ">=", ">="), std::tuple(filter.to_ms, "<=", "<")}) {
    if (!ms) continue;
    const std::string day = parameter(date_text(day_of(*ms))), time = parameter(time_text(*ms));
    add(fmt::format("day {} {}::date AND time {} {}::timestamptz", day_compare, day, time_compare, time));
  }
  for (const auto& [mark, sql] : kMarkConditions) {
    if ((filter.needed & mark) != 0) add(sql);
    if ((filter.refused & mark) != 0) add(fmt::format("NOT ({})", sql));
  }
  QuerySql query = sql_of(filter.query, parameters_.size() + 1, filter.mask);
  add(query.text);
  std::move(query.parameters.begin(), query.parameters.end(), std::back_inserter(parameters_));
  members_ = std::move(query.members);
}

std::string FleetWhere::from(std::span<const std::string_view> more, std::string_view table) const {
  std::vector<std::string_view> members = members_;
  for (const std::string_view name : more)
    if (std::find(members.begin(), members.end(), name) == members.end()) members.push_back(name);
  return with_members(table, members);
}

std::string FleetWhere::parameter(std::string value) {
  parameters_.push_back(std::move(value));
  return fmt::format("${}", parameters_.size());
}

void FleetWhere::behind(const FleetPlace& place) {
  const std::string day = parameter(date_text(day_of(place.time_ms)));
  const std::string time = parameter(time_text(place.time_ms));
  const std::string id = parameter(place.id.text());
  add(fmt::format("day <= {0}::date AND (day, time, event_id) < ({0}::date, {1}::timestamptz, {2}::uuid)",
                  day, time, id));
}

void FleetWhere::add(std::string_view condition) { text_.append(" AND ").append(condition); }

}  // namespace wafd::forward
