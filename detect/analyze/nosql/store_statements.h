// Statements of databases that are not asked in SQL, as values: methods of MongoDB's shell, Cypher of graph
// databases, commands of Redis and Memcached behind a line end.
//
// Sources: MongoDB manual (mongosh methods), openCypher 9 and the Neo4j Cypher manual (LOAD CSV, CALL), Redis
// serialization protocol and command reference, Memcached's protocol.txt.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

struct StoreStatement {
  std::size_t begin = 0;  // octets in the text
  std::size_t end = 0;    // 0: none
  bool certain = false;   // nobody writes it there but to attack; else it may be documentation
  const char* reason = "";

  explicit operator bool() const noexcept { return end != 0; }
};

// The weightiest in `text`.
StoreStatement find_store_statement(std::string_view text) noexcept;

// One of these expressions matches every text in which there is one.
void append_store_hints(std::vector<std::string>& out);

}  // namespace wafd::detect
