// Statements of databases that are not asked in SQL, as values: methods of the shell of MongoDB, clauses of
// graph queries, commands of Redis and Memcached behind a line end.
//
// Sources: MongoDB manual (mongosh methods), openCypher 9 and the Neo4j Cypher manual (LOAD CSV, CALL), the
// AQL manual of ArangoDB, Redis serialization protocol and command reference, Memcached's protocol.txt.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/analyze/base/evidence.h"

namespace wafd::detect::nosql {

struct Statement {
  Certainty certainty = Certainty::kPossible;
  std::size_t begin = 0;
  std::size_t end = 0;  // 0: none
  std::string_view what;

  explicit operator bool() const noexcept { return end != 0; }
};

// The most certain one of a text. Linear time.
Statement find_statement(std::string_view text) noexcept;

}  // namespace wafd::detect::nosql
