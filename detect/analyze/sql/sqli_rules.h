// What is looked for in tokens that read as SQL: structures that continue or change somebody's query.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detect/analyze/base/analyzer.h"
#include "detect/analyze/sql/sqli_grammar.h"

namespace wafd::detect::sqli {

// Indexes of the rules. Appended to, never reordered: numbers and ids follow from them.
enum RuleIndex : std::uint16_t {
  kUnionSelect,
  kConstantCondition,  // or 1=1, and 'a'='b'
  kCondition,          // and ascii(substr(password,1,1))>64, or user like 'a%'
  kStackedStatement,
  kTimeDelay,
  kErrorBased,
  kOutOfBand,
  kFileOrCommand,
  kSubquery,
  kWholeStatement,
  kSystemObject,
  kCommentedOut,  // admin'--
  kQueryClause,   // order by 7--, having, procedure analyse
  kObfuscation,   // /*!50000union*/
  kSuspected,
  kFragment,  // ) as x from, pg_sleep(, and 1=(
};

std::span<const RuleSpec> rule_specs() noexcept;

// Longer values are documents, not probes: none is odd as a whole.
inline constexpr std::size_t kMaxOddBytes = 64;

struct Reading {
  std::string_view text;
  Quote quote = Quote::kNone;
  bool beginning = true;  // false where the tokens are those of a later window of a long text
  bool pair = false;      // the value of a name=value inside of a value
  bool script = false;    // the text is a file of statements
  bool where = false;     // the parameter says that it takes a whole condition
  bool stored = false;    // the text is lines of statements in a field of a body
  bool noisy = false;     // the text holds controls that no text has: quotes and signs are there by accident
};

// Whether the tokens of a file, read without a quote, are a script of SQL: dumps and migrations are uploaded
// by right.
bool is_script(std::string_view text, const TokenStream& stream);

// Whether the first tokens, behind comments, begin a statement.
bool begins_script(std::string_view text, const TokenStream& stream);

// Appends to `hits` what one reading of the text says, at most one hit a rule. True if the reading held up to
// the last token.
bool find_structures(const Reading& reading, const TokenStream& stream, std::vector<Hit>& hits);

}  // namespace wafd::detect::sqli
