// Events of all nodes as they are stored: what is new since the last look, for all who watch together. For
// threads that may wait, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forward/io/postgres/connection.h"
#include "forward/io/postgres/fleet_events.h"

namespace wafd::forward {

// Finds new rows by the time at which they were stored, so events of a node that was behind come late. A row
// can be seen once its transaction has ended, a little after that time: each look begins kOverlapMs before
// the last one and passes over rows that it has seen. A row whose transaction takes longer is not in the
// tail, only in lists.
class FleetTail {
 public:
  static constexpr std::int64_t kOverlapMs = 5'000;
  static constexpr std::size_t kMaxRows = 50'000;        // compared with the filters in one look
  static constexpr std::size_t kMaxMatches = 5'000;      // told apart of one filter
  static constexpr std::size_t kMaxEvents = 1'000;       // given to one who watches
  static constexpr std::size_t kMaxEventsOfAll = 4'000;  // read in one look
  static constexpr std::size_t kMaxFilters = 32;         // in one statement
  static constexpr std::int64_t kMaxBackMs = 600'000;    // of who begins: what is older is counted alone
  static constexpr std::int64_t kFailedMs = 60'000;      // for so long no filter is asked that failed

  struct Watch {
    std::shared_ptr<const FleetFilter> filter;
    bool first = false;                    // did not take part in the last look
    std::optional<std::int64_t> after_us;  // of the first look: what was stored behind it; none: nothing
  };
  struct Found {
    std::vector<std::size_t> events;  // of Look::events, the oldest first
    std::uint64_t skipped = 0;        // matches that were too many
    std::uint64_t unknown = 0;        // rows too many or too old to be compared, counted up to kMaxRows
    std::string failed;               // why nothing could be asked for this one alone
  };
  struct Look {
    std::int64_t upto_us = 0;  // by the clock of the database: where one who comes back goes on
    std::vector<FleetEvent> events;
    std::vector<Found> found;  // of each who watches
  };

  PgResult<Look> look(PgConnection& connection, const std::vector<Watch>& watches);

 private:
  std::int64_t upto_us_ = 0;              // of the last look
  std::map<EventId, std::int64_t> seen_;  // when it was stored
  struct Failed {
    std::string why;
    std::int64_t until_us = 0;
  };
  std::map<std::string, Failed> failed_;  // filters
};

}  // namespace wafd::forward
