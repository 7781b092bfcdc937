// Rows of this room's tables: operators and methods of MongoDB, clauses of graph queries, commands of Redis.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::nosql {

enum class OperatorUse : std::uint8_t {
  kCompare,  // interfaces take filters with it from their own pages
  kTelling,  // matches what is not known, or reads another collection
  kScript,   // gives code to run
};
struct Operator {
  std::string_view text;
  OperatorUse use;
};

enum class NameUse : std::uint8_t {
  kLookup,      // of a mapper, that tells of what is not known whole: its beginning, a part, a key
  kComparison,  // of a mapper, with a whole value
  kOrdering,    // of a mapper: what is larger and smaller tells a text letter by letter
  kMapper,      // an operator of a mapper of objects, without a sign of its own: not, in, like
  kSecret,
  kLogin,
  kFilter,  // a parameter that holds a query, by its documentation
};
struct Name {
  std::string_view text;
  NameUse use;
};

enum class ClauseUse : std::uint8_t {
  kContinues = 1,      // goes on behind a string
  kEnds = 2,           // a query may end with it
  kBehindPattern = 4,  // follows a pattern of nodes
  kProcedures = 8,     // a namespace of procedures
};
constexpr bool is_flags(ClauseUse) noexcept { return true; }
struct Clause {
  std::string_view text;
  ClauseUse use;
};

struct Command {
  std::string_view text;
  std::uint32_t fewest;  // arguments
  std::uint32_t most;
};

}  // namespace wafd::detect::nosql
