// SqlReader: values that are pieces of a query, from end to end or behind the quote with which they begin.
#include "detect/analyze/sql/sql_evidence.h"
#include "detect/analyze/sql/sql_reader.h"
#include "detect/core/bytes.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sql {
namespace {

// "Name"="Value": two names of standard SQL, and a line of the registry of Windows; a condition on strings
// that differ lets nothing through.
bool sets_other_name(std::string_view text) noexcept {
  text = trim(text);
  if (text.size() < 5 || text.front() != '"' || text.back() != '"') return false;
  const std::size_t close = text.find('"', 1);
  const std::size_t open = text.rfind('"', text.size() - 2);
  if (open == text.npos || close >= open || trim(text.substr(close + 1, open - close - 1)) != "=")
    return false;
  return text.substr(1, close - 1) != text.substr(open + 1, text.size() - open - 2);
}

// 7,role='admin': what is assigned is a right or a secret.
bool assigns_right(std::string_view text) noexcept {
  static constexpr WordSet kColumns({"role", "roles", "admin", "is_admin", "isadmin", "password", "passwd",
                                     "pass", "is_staff", "is_superuser", "privilege", "privileges", "balance",
                                     "credit", "email"});
  for (std::size_t at = text.find(','); at != text.npos; at = text.find(',', at + 1)) {
    const std::size_t begin = skip_space(text, at + 1);
    const std::size_t equals = text.find('=', begin);
    if (equals != text.npos && kColumns.has(trim(text.substr(begin, equals - begin)))) return true;
  }
  return false;
}

}  // namespace

// A value that begins with the quote which ends the application's string, and goes on as a query does: with
// an operator and an operand, or with a word of a query. Quotes that are closed hold a citation.
void SqlReader::judge_opening(std::uint32_t end) {
  if (!leads_ || text_.find_last_of("'\"`") >= phrase_.begin + 1) return;
  const std::string_view rest = text_.substr(skip_space(text_, phrase_.begin + 1));
  const bool operates =
      phrase_.lead_operands >= 2 && has(phrase_.lead, kSigned) &&
      std::string_view("-+").find(rest.empty() ? '-' : rest.front()) == std::string_view::npos;
  const bool joins = phrase_.terms >= 2 && (phrase_.best.begin != kNowhere);
  // "2562*23: dates and fractions have no such sign.
  const bool calculates = operates && !has(phrase_.lead, kNames | kText) &&
                          text_.size() <= kMaxOpeningBytes &&
                          rest.find_first_of("*<>=^|&%") != std::string_view::npos &&
                          rest.find_first_of("/:.,#") == std::string_view::npos;
  if (operates || joins)
    add(SqlEvidence::kFragment, calculates ? Certainty::kCertain : Certainty::kLikely, phrase_.begin, end,
        "an expression behind a quote");
}

// A value that is a piece of a query from its beginning to its end: it continues a condition, breaks off, or
// is an expression that nothing else is written in.
void SqlReader::judge_fragment(Tail tail, std::uint32_t end) {
  if (called_off_ && !broken_off_)
    return add(SqlEvidence::kFragment, Certainty::kCertain, value_begin_, end,
               "an expression that breaks off");
  // Nothing but an operator: what stands around it is the application's.
  const bool operates =
      token_.begin == value_begin_ && tail == Tail::kEnd &&
      (token_.kind == TokenKind::kOperator
           ? spelled(token_) == "!=" || spelled(token_) == "<>" || spelled(token_) == "<=>" ||
                 spelled(token_) == "<<" || spelled(token_) == "&&"
           : part(token_) == Part::kCompare && token_.word->tells == Tells::kSql);
  if (operates) return add(SqlEvidence::kOperator, Certainty::kLikely, value_begin_, end, "an operator");
  if (tail == Tail::kUnknown || phrase_.begin != value_begin_ || phrase_.anchor == Anchor::kLoose) return;
  const Facts all = phrase_.lead | phrase_.best.facts;
  if (!broken_off_ && phrase_.led_by_logic && (has(all, kCompares | kTruth | kComparedInside) || hiding_))
    return add(SqlEvidence::kCondition, Certainty::kCertain, phrase_.begin, end,
               text_.substr(phrase_.begin, 40));
  Piece piece = piece_that_is_torn();
  if (piece.what.empty() && phrase_.terms == 1 && phrase_.lead_operands > 0) piece = piece_of_one_term(tail);
  if (piece.what.empty()) piece = piece_behind(tail);
  if (!piece.what.empty()) add(SqlEvidence::kFragment, piece.certainty, phrase_.begin, end, piece.what);
}

// It breaks off, or goes on with what stands before it.
SqlReader::Piece SqlReader::piece_that_is_torn() const {
  const Facts all = phrase_.lead | phrase_.best.facts;
  if (broken_off_) return {"an expression that breaks off", Certainty::kCertain};
  if (phrase_.led_by_logic && has(all, kNumeric | kText)) return {"a condition that goes on"};
  if (phrase_.aliased && phrase_.clause_keyword == Keyword::kFrom &&
      !istarts_with(text_.substr(phrase_.begin), "as "))  // as seen from space
    return {"an alias before FROM", Certainty::kCertain};
  return {};
}

// One term, as nothing but SQL writes it.
SqlReader::Piece SqlReader::piece_of_one_term(Tail tail) const {
  const Facts lead = phrase_.lead;
  const auto operands = phrase_.lead_operands;
  if (has(lead, kTruth) && !sets_other_name(text_.substr(phrase_.begin)) &&
      (has(lead, kSqlCompare) || (has(lead, kText) && (!has(lead, kNumeric) || operands > 2))))
    return {"a comparison of constants", Certainty::kCertain};
  if (has(lead, kCast)) return {"a cast", Certainty::kCertain};
  if (has(lead, kInfo) && !phrase_.broken)
    return {"what the database says of itself",
            has(lead, kSigned) ? Certainty::kCertain : Certainty::kLikely};
  if (tail == Tail::kComment && phrase_.anchor >= Anchor::kFirm && text_[token_.begin] != '#' &&
      has(lead, kNumeric | kText) && !has(lead, kArithmetic | kNames) && hides_little(lexer_.hidden()))
    return {"a value and a comment"};
  if (const Piece piece = piece_behind_parentheses(tail); !piece.what.empty()) return piece;
  if (phrase_.broken) return {};
  if (operands == 1 && has(lead, kCaseValue)) return {"CASE", Certainty::kCertain};
  if (operands == 1 && has(lead, kKnownCall)) {
    if (has(lead, kTelling) || (has(lead, kPattern) && has(lead, kComparedInside)))
      return {"a call", Certainty::kCertain};
    const bool constants = has(lead, kText | kNumeric) && !has(lead, kNames);
    if ((has(lead, kComparedInside) || constants) && !has(lead, kUnknown))
      return {"a call with constants or a condition"};
  }
  if (operands > 1 && has(lead, kComparedInside) && has(lead, kArithmetic | kCompares) &&
      !has(lead, kUnknown))
    return {"a calculation with a condition"};
  if (const Piece piece = piece_that_tests_a_number(tail); !piece.what.empty()) return piece;
  return piece_that_asks_of_a_column();
}

// 1 notnull, 1 is distinct from 2, 1 not in (2), 1 <= true, 1>=-id# : a number and a test that the words of
// no text make.
SqlReader::Piece SqlReader::piece_that_tests_a_number(Tail tail) const {
  const Facts lead = phrase_.lead;
  if (phrase_.begin != value_begin_ || !is_digit(text_[value_begin_]) || !has(lead, kCompares) ||
      has(lead, kUnknown))
    return {};
  const bool hides = tail == Tail::kComment && trim(lexer_.hidden()).empty() && before_.end == token_.begin &&
                     before_.end - before_.begin >= 2;
  const bool signs = text_.find_first_of("<>=") != text_.npos;
  if (phrase_.lead_operands >= 2 && has(lead, kBoolean | kTelling | kKnownCall) && signs)
    return {"a comparison of a number", has(lead, kKnownCall) ? Certainty::kCertain : Certainty::kLikely};
  if (phrase_.lead_operands >= 2 && has(lead, kNames) && (hides || parted_by_comments(text_)))
    return {"a comparison of a number", Certainty::kCertain};
  if (has(lead, kSqlCompare) && !has(lead, kNames)) return {"a test of a number"};
  if (phrase_.lead_operands == 1 && has(lead, kTelling) && !has(lead, kNames)) return {"a test of a number"};
  return {};
}

// A sort key, or a condition, that tells something of what a column holds: ascii(substr(a,1,1))>64,
// left(a,1)='z', a like 'z%'.
SqlReader::Piece SqlReader::piece_that_asks_of_a_column() const {
  const Facts lead = phrase_.lead;
  if (phrase_.lead_operands < 2 || !has(lead, kNames) || has(lead, kUnknown)) return {};
  const bool calls = has(lead, kKnownCall);
  if (calls && has(lead, kTelling) && has(lead, kCompares | kArithmetic))
    return {"a comparison of a call", Certainty::kCertain};
  const bool constants = has(lead, kText | kNumeric);
  if (calls && constants && has(lead, kCompares)) return {"a comparison of a call"};
  if (has(lead, kPattern) && has(lead, kText) && has(lead, kCompares)) return {"a comparison with a pattern"};
  return {};
}

// 1)-- : what the application opened is closed, and a comment hides the rest.
SqlReader::Piece SqlReader::piece_behind_parentheses(Tail tail) const {
  if (tail != Tail::kComment || phrase_.closers == 0 || phrase_.terms > phrase_.closers + 1 ||
      phrase_.anchor < Anchor::kFirm || has(phrase_.lead, kNames | kCompares) ||
      !hides_little(lexer_.hidden()))
    return {};
  return {"a parenthesis and a comment",
          lexer_.hidden().size() <= 2 ? Certainty::kCertain : Certainty::kLikely};
}

// Words that only stand behind the rest of a query.
SqlReader::Piece SqlReader::piece_behind(Tail tail) {
  if (const Piece piece = piece_behind_parentheses(tail); !piece.what.empty()) return piece;
  const Frame& frame = top();
  if (phrase_.led && frame.mode == Mode::kQuery && frame.query.set_operator == phrase_.begin &&
      tail == Tail::kEnd && frame.facts == 0)
    return {"UNION SELECT",
            has_odd_case(text_.substr(phrase_.begin, 5)) ? Certainty::kCertain : Certainty::kLikely};
  if (phrase_.led && has(phrase_.facts, kTelling) && token_.begin != phrase_.begin)
    return {"the rest of a query", Certainty::kCertain};
  // 7,role='admin' : where the application writes SET age=7.
  if (phrase_.assigns && phrase_.lead_operands == 1 && phrase_.lead_constant && has(phrase_.lead, kNumeric) &&
      !has(phrase_.facts, kUnknown))
    return {"an assignment", assigns_right(text_) ? Certainty::kCertain : Certainty::kLikely};
  const bool compares =
      phrase_.led_by_compare && !has(phrase_.lead, kNames) && has(phrase_.lead, kNumeric | kText | kBoolean);
  const bool closes = phrase_.closers > 0 && phrase_.best.begin != kNowhere && phrase_.best.weight >= 3;
  if (compares || closes) return {"the rest of a query"};
  return {};
}

}  // namespace wafd::detect::sql
