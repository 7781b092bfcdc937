// Injection into queries of databases that are not asked in SQL: operators of MongoDB in names and values,
// code for its $where, lookups of mappers, statements of graph databases, Redis and Memcached.
//
// Sources: MongoDB manual (query operators, $where), Django documentation (field lookups); see statements.h.
#pragma once

#include <memory>

#include "detect/analyze/base/matcher.h"

namespace wafd::detect {

std::unique_ptr<Matcher> make_nosql_matcher();

}  // namespace wafd::detect
