// Short values that are torn out of a query: they begin behind its first half or end before its second one,
// so that no reading of them as an expression comes to an end. Read as words and signs, without the grammar
// of complete expressions.
#pragma once

#include <cstddef>
#include <string_view>

namespace wafd::detect::sql {

inline constexpr std::size_t kMaxTornBytes = 64;

struct Torn {
  std::string_view what;  // empty: it is no torn piece
  bool sure = false;      // no value is written so; else it may be a probe, and another language's sign
};

// How a query or a clause begins, from heads.tsv.
struct HeadRow {
  std::string_view text;  // its words and signs, parted by spaces; "?" is a word or number, "#" a number
  std::size_t rest = 0;   // so many words and signs may stand behind it
};

// Classifies `text`, a whole value without the blanks around it.
Torn torn_piece(std::string_view text) noexcept;

// Words with which a query goes on behind the quote that ends a string, besides verbs and what joins
// conditions.
inline constexpr std::string_view kBehindStrings[]{
    "in",      "is",      "not",    "like",   "rlike",     "regexp",    "glob", "match", "ilike",
    "between", "case",    "limit",  "group",  "order",     "into",      "from", "where", "having",
    "values",  "collate", "escape", "offset", "returning", "procedure", "mod",  "div"};

// Nothing but quotes and other signs, of any length: three quotes at least, and two kinds of them side by
// side; or a string of signs.
bool is_quotes_and_signs(std::string_view text) noexcept;

}  // namespace wafd::detect::sql
