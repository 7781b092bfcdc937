// SQL injection: text that goes on with the query into which an application puts it, or that is one.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_sql_matcher();

namespace sql {
// Necessary conditions on a text for the matcher to find anything in it (sql_needs.cc).
Needs sql_needs();
}  // namespace sql

}  // namespace wafd::detect
