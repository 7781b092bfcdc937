// An event query as a condition of SQL over the table wafd_events (forward/io/postgres/README.md). Pure.
#pragma once

#include <string>
#include <vector>

#include "forward/query/event_query.h"

namespace wafd::forward {

// Parameters in text format; `text` names them $1, $2, ... and holds nothing that a user wrote.
struct QuerySql {
  std::string text;  // of type boolean, never null
  std::vector<std::string> parameters;
};

// True for the rows whose events the query matches. The first parameter of the query is number `first`.
QuerySql sql_of(const EventQuery& query, std::size_t first = 1);

}  // namespace wafd::forward
