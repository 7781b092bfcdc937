// Which events of a fleet's database, as a condition of SQL. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/core/event_id.h"
#include "forward/query/event_query.h"
#include "forward/query_sql/query_sql.h"

namespace wafd::forward {

// Triage and pin of an event, as bits.
enum FleetMark : std::uint8_t {
  kFleetClosed = 1,
  kFleetTruePositive = 2,
  kFleetFalsePositive = 4,
  kFleetPinned = 8,
};

// Those that match and whose time lies in [from_ms, to_ms).
struct FleetFilter {
  EventQuery query;
  std::optional<std::int64_t> from_ms = {}, to_ms = {};
  Mask mask = Mask::kNone;
  std::uint8_t needed = 0;   // FleetMark bits that must be set
  std::uint8_t refused = 0;  // and that must not
};

// An event's place in the order of lists: newest first, and of one time by id.
struct FleetPlace {
  std::int64_t time_ms = 0;
  EventId id;

  std::string text() const;  // "1760000000000-0123…", as parse() reads it
  static std::optional<FleetPlace> parse(std::string_view text) noexcept;
  bool operator==(const FleetPlace&) const = default;
};

// Conditions over from() with their parameters, in the order in which they are added.
class FleetWhere {
 public:
  // `before`: parameters of the statement that come before.
  explicit FleetWhere(const FleetFilter& filter, std::vector<std::string> before = {});

  std::string parameter(std::string value);  // its place as `$n`
  void behind(const FleetPlace& place);
  void add(std::string_view condition);

  // What `text` is asked of: `table` by the name wafd_events, with a column for each member that the query
  // reads and each of `more` (with_members()).
  std::string from(std::span<const std::string_view> more = {}, std::string_view table = "wafd_events") const;
  const std::string& text() const noexcept { return text_; }
  const std::vector<std::string>& parameters() const noexcept { return parameters_; }

 private:
  std::string text_ = "true";
  std::vector<std::string> parameters_;
  std::vector<std::string_view> members_;
};

}  // namespace wafd::forward
