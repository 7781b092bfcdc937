// The tables of wafd in a database, as the steps that lead to them (migrations/*.sql, in the library as
// text).
#pragma once

#include <span>
#include <string_view>

namespace wafd::forward {

// A step is never changed once it was released: what is to be otherwise is a new one. Each ends with its row
// in wafd_schema: `version`, and `writers_from`, the oldest version that a writer must know to write into the
// tables behind it.
struct Migration {
  int version;  // 1, 2, 3, ... without a hole
  std::string_view name;
  std::string_view sql;  // several statements, run in one transaction
};

std::span<const Migration> migrations() noexcept;

// Whoever makes or changes tables holds this advisory lock, so never two do at once.
inline constexpr long kSchemaLock = 2002871908;

}  // namespace wafd::forward
