// The meaning of words to SQL, from words.tsv and statements.tsv.
//
// Sources: ISO/IEC 9075-2 (SQL/Foundation); the manuals of MySQL 8.0 and MariaDB 10.11, PostgreSQL 15, SQLite
// 3, SQL Server 2022, Oracle 19c, Db2 11.5, H2 2, HSQLDB 2.7, Firebird 4, Informix 14, Access.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"

namespace wafd::detect::sql {

// The part that a word plays in the grammar of expressions and queries.
enum class Part : std::uint8_t {
  kName,         // none: an identifier
  kConstant,     // a value by itself: NULL, TRUE, CURRENT_USER
  kPrefix,       // before an operand: NOT, DISTINCT, EXISTS, INTERVAL
  kLogic,        // AND, OR, XOR
  kCompare,      // LIKE, IN, BETWEEN, IS
  kArithmetic,   // DIV, MOD
  kSuffix,       // behind an operand, with a name of its own: COLLATE, ESCAPE
  kPostfix,      // behind an operand: ISNULL, ASC
  kCase,         // CASE
  kBranch,       // WHEN, THEN, ELSE
  kEnd,          // END
  kSelect,       // SELECT
  kQuery,        // TABLE, VALUES, WITH: begin queries, too
  kSetOperator,  // UNION, INTERSECT, EXCEPT, MINUS
  kClause,       // FROM, WHERE, ORDER, LIMIT
  kHint,         // in table factors: USE, FORCE, TABLESAMPLE
  kType,         // of a column: INT, VARCHAR
  kFiller,       // of definitions: COLUMN, CASCADE, IDENTIFIED
  kDeterminer,   // of prose: articles and pronouns, which no table is called by
};

// Words that the grammar looks at one by one.
enum class Keyword : std::uint8_t {
  kNone,
  kAll,
  kAnalyse,
  kAnd,
  kAs,
  kBetween,
  kBoolean,
  kBy,
  kDistinct,
  kExists,
  kFalse,
  kFor,
  kFrom,
  kGroup,
  kHaving,
  kIn,
  kInto,
  kInterval,
  kIs,
  kLimit,
  kMode,
  kNot,
  kNull,
  kOn,
  kOrder,
  kOutfile,
  kProcedure,
  kSet,
  kTop,
  kTrue,
  kUse,
  kValues,
  kWhen,
  kWhere,
  kWith,
};

// The effect of calling it.
enum class Use : std::uint8_t {
  kNone,     // it is no function
  kPlain,    // an ordinary function: ascii, substr, concat
  kInfo,     // tells about the database: version, user
  kGrow,     // makes as much as its argument says: repeat, generate_series
  kDelay,    // takes time: sleep
  kError,    // its error quotes its argument: extractvalue
  kNetwork,  // reaches other machines: utl_http
  kFile,     // reads or writes files: load_file
  kCommand,  // runs commands or rules the server: xp_cmdshell
};

// Its kind of object in a catalogue.
enum class Object : std::uint8_t { kNone, kSchema, kTable, kColumn, kVariable, kPackage };

enum class Tells : std::uint8_t {
  kNothing,  // prose or other languages have the word, too
  kSql,      // nothing else has it
};

struct WordRow {
  std::string_view text;  // in lower case
  Part part = Part::kName;
  Keyword keyword = Keyword::kNone;
  Use use = Use::kNone;
  Object object = Object::kNone;
  Tells tells = Tells::kNothing;
};

// Words that filters remove once: selselectect becomes select.
constexpr bool is_taken_by_filters(const WordRow& row) noexcept {
  return row.part == Part::kLogic || row.part == Part::kSelect || row.part == Part::kSetOperator ||
         row.keyword == Keyword::kFrom || row.keyword == Keyword::kWhere;
}

// Tokens that may follow a statement's verb where no word must.
enum class Follow : std::uint16_t {
  kNothing = 0,
  kName = 1u << 0,
  kCall = 1u << 1,      // name and "("
  kValue = 1u << 2,     // number, string
  kVariable = 1u << 3,  // @x
  kGroup = 1u << 4,     // (
  kEnd = 1u << 5,       // nothing
  kVerb = 1u << 6,      // another statement
  kQuery = 1u << 7,     // SELECT and the like
  kAssign = 1u << 8,    // name and "=", ":=" or TO
};
constexpr bool is_flags(Follow) noexcept { return true; }

// The head of a statement.
struct StatementRow {
  std::string_view text;  // its verb
  std::string_view
      words;  // one of these must come next, but for fillers and a name; parted by spaces, or empty
  Follow follow = Follow::kNothing;  // or one of these must
  std::string_view later;            // one of these must come before the end; or empty
  Tells tells = Tells::kNothing;     // verb and word together are said by nobody but to a database
  Use use = Use::kNone;              // what it does, as of a function
};

// Operators of several words behind an operand.
struct PhraseRow {
  std::string_view text;   // its first word
  std::string_view rests;  // phrases.tsv says how they are written
};

}  // namespace wafd::detect::sql
