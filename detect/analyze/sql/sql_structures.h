// The structures that the reader builds out of tokens: terms, frames, queries, statements and phrases; and
// how sure each makes it that the text is SQL (sql_evidence.cc).
//
// A phrase is what stands between two boundaries of a text: it continues the query in which the text stands,
// or it begins behind something that the grammar does not know.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/analyze/base/evidence.h"
#include "detect/analyze/sql/sql_lexer.h"
#include "detect/analyze/sql/words.h"

namespace wafd::detect::sql {

inline constexpr std::uint32_t kNowhere = ~0u;
// Of a value that ends a string and goes on with one word: longer ones may be a citation without its end.
inline constexpr std::size_t kMaxOpeningBytes = 64;

// Properties of an expression, as a set of bits.
using Facts = std::uint32_t;
enum Fact : Facts {
  kTruth = 1u << 0,  // constants are compared: its outcome is known
  kCompares = 1u << 1,
  kHoldsQuery = 1u << 2,
  kEffect = 1u << 3,     // a call that waits, fails with data, reaches out, reads files, runs commands
  kInfo = 1u << 4,       // tells about the database: version(), @@version, a catalogue
  kTelling = 1u << 5,    // says by itself that it is SQL: elt(), 0x3a, CASE … END
  kKnownCall = 1u << 6,  // a function of SQL
  kNames = 1u << 7,      // columns, unknown functions
  kSigned = 1u << 8,     // more than words: numbers, strings, operators, parentheses
  kBoolean = 1u << 9,    // TRUE, FALSE, NOT …, NULL
  kArithmetic = 1u << 10,
  kUnknown = 1u << 11,         // calls what no database has, or holds what the grammar does not know
  kNumeric = 1u << 12,         // holds numbers
  kSqlCompare = 1u << 13,      // compared by <>, <=>, LIKE and the like
  kCast = 1u << 14,            // ::int
  kComparedInside = 1u << 15,  // in parentheses
  kText = 1u << 16,            // holds strings
  kPattern = 1u << 17,         // compared by LIKE, REGEXP, BETWEEN and the like, inside of a call
  kCaseValue = 1u << 18,       // a whole CASE … END
  kLarge = 1u << 19,           // holds a number that makes what grows large
  kOddNumber = 1u << 20,       // a number with a sign or an exponent that answers do not have: 1e0, !0
};

// From a separator to the next.
struct Term {
  Facts facts = 0;
  std::uint32_t begin = kNowhere;
  std::uint16_t operands = 0;
  bool constant = true;
  bool between = false;   // BETWEEN waits for its AND
  bool distinct = false;  // IS DISTINCT waits for its FROM
};

// How a phrase is tied to the query in which the text stands.
enum class Anchor : std::uint8_t {
  kLoose,      // it begins behind something unknown
  kStatement,  // the text is a statement itself
  kWord,       // the text begins with a name, a list, a parenthesis, a keyword
  kString,     // it begins with, or behind, a whole string
  kFirm,       // the text begins with a number, a sign, a closing parenthesis
  kBreak,      // it stands behind the quote that ends the application's string
};

enum class Clause : std::uint8_t { kNone, kWith, kList, kFrom, kWhere, kOther };

struct Query {
  std::uint32_t begin = kNowhere;
  std::uint32_t set_operator = kNowhere;  // the UNION before it
  Anchor anchor = Anchor::kLoose;         // of the phrase in which it stands
  bool statement = false;                 // it is one of its own
  bool stacked = false;                   // behind a semicolon
  bool broken = false;                    // something in it is no SQL
  bool list_broken = false;               // before anything but words stood in it
  bool table = false;                     // FROM or TABLE with a name that may be a table's
  bool system = false;                    // of a catalogue
  bool star = false;                      // its list holds *
  bool inside = false;                    // it begins in the middle of a parenthesis
};

enum class Mode : std::uint8_t { kExpression, kQuery, kStatement };

enum class FrameKind : std::uint8_t { kTop, kGroup, kCall, kCase };

// The state of one nesting level: a parenthesis, a CASE or the text itself.
struct Frame {
  FrameKind kind = FrameKind::kTop;
  Mode mode = Mode::kExpression;
  Clause clause = Clause::kNone;
  bool operand_next = true;  // else an operator
  bool fresh = true;         // nothing stood in it: a query may begin
  bool broken = false;       // something in it is no SQL
  bool anchored = false;     // nothing before it in its phrase is unknown
  bool selected = false;     // a query is around it
  bool constant = true;      // all terms are
  bool postfix = false;      // it belongs to the operand before it: a subscript, OVER (…), a column list
  bool name_free = false;    // an alias, a unit or a type may follow
  bool unit = false;         // behind INTERVAL
  bool interval = false;     // behind INTERVAL and its number
  bool aliased = false;      // a name for what the application selects from: only a clause may follow
  std::uint16_t items = 1;
  std::uint32_t begin = 0;
  const WordRow* function = nullptr;
  const WordRow* package = nullptr;
  Facts facts = 0;  // of the terms that are over
  Term term;
  Query query;
};

// How a term is joined to the one before it.
enum class Link : std::uint8_t { kFirst, kLogic, kLogicSign, kWhere, kComma };

enum class Tail : std::uint8_t { kEnd, kComment, kOpenString, kSemicolon, kUnknown };

struct Condition {
  Facts facts = 0;
  bool constant = false;
  Link link = Link::kFirst;
  std::uint32_t begin = kNowhere;
  std::uint32_t end = 0;
  int weight = 0;
};

struct Phrase {
  Anchor anchor = Anchor::kLoose;
  std::uint32_t begin = 0;
  std::uint32_t clause = kNowhere;  // ORDER BY, GROUP BY, LIMIT, FROM
  Keyword clause_keyword = Keyword::kNone;
  std::string_view clause_name;
  Facts clause_facts = 0;
  Facts facts = 0;  // of all its terms
  Facts lead = 0;   // of its first term
  std::uint16_t lead_operands = 0;
  bool lead_constant = false;
  Facts lead_nested = 0;
  bool led = false;  // begins with what continues an expression: OR, ), =
  bool led_by_logic = false;
  bool led_by_compare = false;
  bool broken = false;  // a parenthesis in it holds what is unknown
  std::uint16_t terms = 0;
  std::uint16_t closers = 0;  // parentheses of the application that it closes
  bool aliased = false;       // AS
  bool branches = false;      // WHEN of a CASE of the application's
  bool assigns = false;       // , name = value
  bool at_break = false;      // what is unknown stands directly behind the break
  Condition best;
};

struct Statement {
  const StatementRow* row = nullptr;
  std::uint32_t begin = 0;
  Anchor anchor = Anchor::kLoose;
  bool matched = false;   // its head is complete
  bool worded = false;    // by a word of its grammar, not by a name alone
  bool stacked = false;   // behind a semicolon
  bool tells = false;     // nobody else says so
  bool unparted = false;  // no semicolon stands before it
  bool later = false;     // what must come later came
  bool broken = false;
  bool names_quoted = false;  // a name in it stands in backticks
  std::uint8_t tries = 0;
  std::uint16_t tokens = 0;
  std::uint16_t strays = 0;  // names behind names
  Facts facts = 0;
};

// In the order of the names that judgements use.
enum class SqlEvidence : std::uint8_t {
  kUnionQuery,
  kConstantCondition,
  kCondition,
  kStackedStatement,
  kDelay,
  kErrorCall,
  kNetworkCall,
  kFileCall,
  kSubquery,
  kStatement,
  kSystemObject,
  kCommentedOut,
  kClause,
  kHiddenKeyword,
  kClosedExpression,
  kFragment,
  kPiece,
  kOperator,
};

}  // namespace wafd::detect::sql
