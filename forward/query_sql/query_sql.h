// An event query as a condition of SQL over the table wafd_events (forward/io/postgres/README.md). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forward/query/event_query.h"

namespace wafd::forward {

// Parameters in text format; `text` names them $1, $2, ... and holds nothing that a user wrote.
struct QuerySql {
  std::string text;  // of type boolean, never null
  std::vector<std::string> parameters;
};

// Whether members that viewers do not see are compared as they see them, so that a query cannot tell what is
// behind the mask: `***` where something stands.
enum class Mask : std::uint8_t { kNone, kViewer };

// True for the rows whose events the query matches. The first parameter of the query is number `first`.
QuerySql sql_of(const EventQuery& query, std::size_t first = 1, Mask mask = Mask::kNone);

}  // namespace wafd::forward
