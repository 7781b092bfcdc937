// The roles of a fleet's database, with the least rights that each needs. Pure.
#pragma once

#include <string>
#include <string_view>

#include "detect/core/error.h"

namespace wafd::forward {

// SQL for the owner of the tables, in the schema that holds them; it may be run again. Names are of small
// letters, digits and `_`, at most 63. Passwords are nobody's business here: \password of psql sets them.
Result<std::string> roles_sql(std::string_view node, std::string_view console);

}  // namespace wafd::forward
