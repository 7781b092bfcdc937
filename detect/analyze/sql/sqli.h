// SQL injection: values that continue or change the query they were meant to be a value of.
//
// The text is read as MySQL and as the other dialects do, from every place where an application may have put
// it: bare (a number, a column), and inside of '…', "…" and `…`. A reading counts as far as its tokens can
// stand where they stand; in it, structures are looked for (sqli_rules). Prose that uses the words of SQL
// ends a reading at once, because behind a closed string no sentence goes on.
#pragma once

#include <memory>

#include "detect/analyze/base/analyzer.h"

namespace wafd::detect {

std::unique_ptr<Analyzer> make_sqli_analyzer();

}  // namespace wafd::detect
