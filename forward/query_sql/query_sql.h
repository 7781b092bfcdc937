// An event query as a condition of SQL over the table wafd_events (forward/io/postgres/migrations). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forward/query/event_query.h"

namespace wafd::forward {

// Parameters in text format; `text` names them $1, $2, ... and holds nothing that a user wrote.
struct QuerySql {
  std::string text;  // of type boolean, never null
  std::vector<std::string> parameters;
  std::vector<std::string_view> members;  // that `text` reads as columns of with_members(), each once
};

// Whether members that viewers do not see are compared as they see them, so that a query cannot tell what is
// behind the mask: `***` where something stands.
enum class Mask : std::uint8_t { kNone, kViewer };

// True for the rows whose events the query matches. The first parameter of the query is number `first`.
QuerySql sql_of(const EventQuery& query, std::size_t first = 1, Mask mask = Mask::kNone);

// What stands behind FROM, with the name wafd_events: `table` with its columns, and members of the record as
// texts in columns `m_NAME`. Each record is taken apart once, which costs more than all that is compared in
// it.
std::string with_members(std::string_view table, std::span<const std::string_view> members);

}  // namespace wafd::forward
