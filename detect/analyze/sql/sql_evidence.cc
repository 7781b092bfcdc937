// How sure what was read makes it that the text is SQL.
#include <algorithm>

#include "detect/analyze/sql/sql_reader.h"
#include "detect/core/bytes.h"

namespace wafd::detect::sql {
namespace {

constexpr Facts kWeighty = kTruth | kHoldsQuery | kEffect | kInfo;

bool has(Facts facts, Facts any) noexcept { return (facts & any) != 0; }

// Names, numbers and patterns do not end with these; passwords do.
bool ends_like_a_secret(std::string_view text) noexcept {
  return !text.empty() && std::string_view("!$^&~#").find(text.back()) != std::string_view::npos;
}

bool is_closed(Tail tail) noexcept { return tail == Tail::kComment || tail == Tail::kOpenString; }

Certainty lower(Certainty certainty) noexcept {
  return certainty == Certainty::kCertain ? Certainty::kLikely : Certainty::kPossible;
}

SqlEvidence kind_of(Use use) noexcept {
  switch (use) {
    case Use::kDelay:
      return SqlEvidence::kDelay;
    case Use::kError:
      return SqlEvidence::kErrorCall;
    case Use::kNetwork:
      return SqlEvidence::kNetworkCall;
    default:
      return SqlEvidence::kFileCall;
  }
}

// SeLeCt: letters of both cases, and not the first alone.
bool has_odd_case(std::string_view word) noexcept {
  std::size_t changes = 0;
  for (std::size_t i = 2; i < word.size(); ++i) changes += is_upper(word[i]) != is_upper(word[i - 1]) ? 1 : 0;
  return changes >= 2;
}

// Statements that no page sends for its user: definitions and rights.
bool changes_schema(std::string_view verb) noexcept {
  return verb == "alter" || verb == "create" || verb == "drop" || verb == "grant" || verb == "revoke" ||
         verb == "truncate";
}

// How much a term tells: 6 says that it is there for nobody but a database, 0 that it says nothing.
int weight_of(Facts facts, bool constant) noexcept {
  if (has(facts, kTruth)) return 6;
  if (has(facts, kHoldsQuery | kEffect | kInfo)) return 5;
  if (has(facts, kCompares | kComparedInside)) return has(facts, kTelling | kKnownCall) ? 4 : 3;
  if (has(facts, kTelling)) return 4;
  if (has(facts, kKnownCall)) return 3;
  if (has(facts, kBoolean)) return 2;
  return constant ? 1 : 0;
}

}  // namespace

void SqlReader::add(SqlEvidence kind, Certainty certainty, std::uint32_t begin, std::uint32_t end,
                    std::string_view detail) {
  out_.add(kind, certainty, begin, std::max(begin, end), detail);
}

void SqlReader::weigh_term(const Term& term, Facts nested) {
  ++phrase_.terms;
  phrase_.facts |= term.facts;
  if (phrase_.terms == 1) {
    phrase_.lead = term.facts;
    phrase_.lead_nested = nested;
    phrase_.lead_constant = term.constant;
    phrase_.lead_operands = term.operands;
  }
  if (phrase_.clause != kNowhere && link_ == Link::kComma) {
    phrase_.clause_facts |= term.facts;
    if (!has(nested, kWeighty)) return;
  }
  // Without a link to the query only facts inside parentheses count: people compare in plain values, too.
  const bool joined = link_ == Link::kLogic || link_ == Link::kLogicSign || link_ == Link::kWhere;
  phrase_.assigns =
      phrase_.assigns || (link_ == Link::kComma && has(term.facts, kCompares) && has(term.facts, kNames));
  const int weight = weight_of(joined ? term.facts : nested, term.constant);
  // Alone: 1 rlike(…), but not current_user.
  const bool telling = has(nested, kCompares) && has(nested, kTelling) && has(nested, kSqlCompare);
  if (!joined && weight < 5 && !telling) return;
  if (!joined && term.operands == 1 && !has(nested, kSigned)) return;
  if (phrase_.best.begin != kNowhere && weight <= phrase_.best.weight) {
    phrase_.best.end = token_.begin;
    return;
  }
  Condition& best = phrase_.best;
  best.facts = term.facts;
  best.constant = term.constant;
  best.link = link_;
  best.begin =
      joined || link_ == Link::kComma ? link_begin_ : (term.begin == kNowhere ? phrase_.begin : term.begin);
  const bool last = token_.kind == TokenKind::kOpenString || ahead_.kind == TokenKind::kEnd;
  best.end = token_.kind == TokenKind::kComment ? before_.end : last ? token_.end : token_.begin;
  best.weight = weight;
}

void SqlReader::end_phrase(Tail tail, std::uint32_t end) {
  if (phrase_.best.begin != kNowhere) judge_condition(tail);
  // Statements that a comment ends: it hides what the application adds.
  if (hiding_ && script_ != kNowhere && whole_ && tail == Tail::kComment)
    add(SqlEvidence::kStatement, Certainty::kCertain, script_, end, "SQL");
  if (phrase_.anchor == Anchor::kBreak) judge_closed(tail, end);
  judge_clause(tail, end);
  if (reopens_ && phrase_.anchor >= Anchor::kFirm)
    add(SqlEvidence::kCondition, Certainty::kCertain, phrase_.begin, end, text_.substr(phrase_.begin, 40));
  if (tail == Tail::kComment && stacked_on_ == Anchor::kBreak && hides_little(lexer_.hidden()))
    add(SqlEvidence::kCommentedOut, Certainty::kCertain, phrase_.begin, end, {});
  // ' option(maxdop 1)-- : a clause of one dialect directly behind the quote with which the text begins.
  if (tail == Tail::kComment && phrase_.at_break && leads_ && hides_little(lexer_.hidden()) &&
      has(phrase_.facts, kNumeric | kText))
    add(SqlEvidence::kCommentedOut, Certainty::kCertain, phrase_.begin, end, {});
  if (quote_ == Quote::kNone) judge_fragment(tail, end);
  if (phrase_.anchor == Anchor::kBreak || phrase_.at_break) judge_opening(end);
}

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

void SqlReader::judge_condition(Tail tail) {
  const Condition& best = phrase_.best;
  const Anchor anchor = phrase_.anchor;
  const bool quoted = anchor == Anchor::kBreak;
  // x' or 1= is compared with the rest of the application's string.
  const bool closed = is_closed(tail) || tail == Tail::kSemicolon || (quoted && pending_);
  // Behind a quoted value the rest must use or comment out the closing quote; behind a number nothing is
  // needed.
  const bool clean = closed || (tail == Tail::kEnd && !quoted);
  // A parenthesis that the application had opened is a boundary whatever stands before it.
  const bool firm = anchor >= Anchor::kFirm || (anchor == Anchor::kLoose && phrase_.closers > 0);
  const bool little = tail != Tail::kComment || hides_little(lexer_.hidden());
  const bool joined = best.link == Link::kLogic || best.link == Link::kLogicSign || best.link == Link::kWhere;
  // ' or data @> '{}': begins with the quote, whatever is left of the application's own.
  const bool begins = quoted && leads_ && joined && has(best.facts, kCompares) && phrase_.terms == 2 &&
                      tail == Tail::kEnd && !has(best.facts, kUnknown);
  Certainty certainty = Certainty::kPossible;
  SqlEvidence kind = SqlEvidence::kCondition;
  const std::string_view detail = text_.substr(best.begin, std::min<std::size_t>(best.end - best.begin, 40));
  switch (best.weight) {
    case 6: {
      kind = SqlEvidence::kConstantCondition;
      // 1 < 2 and 3 > 2: the value was a comparison before.
      const bool sum = !quoted && has(phrase_.lead, kCompares) &&
                       !has(phrase_.lead, kNames | kSqlCompare | kKnownCall) && phrase_.terms > 1;
      if (sum) {
        certainty = is_closed(tail) ? Certainty::kLikely : Certainty::kPossible;
      } else if (firm) {
        certainty = clean || quoted ? Certainty::kCertain : Certainty::kLikely;
      } else if (anchor == Anchor::kLoose) {
        certainty = joined && tail != Tail::kUnknown && best.link != Link::kLogicSign ? Certainty::kLikely
                                                                                      : Certainty::kPossible;
      } else {
        certainty = closed && little  ? Certainty::kCertain
                    : clean && little ? Certainty::kLikely
                                      : Certainty::kPossible;
      }
      break;
    }
    case 5:
      if (anchor == Anchor::kLoose && !firm) {
        certainty = closed ? Certainty::kLikely : Certainty::kPossible;
      } else {
        certainty = clean || quoted ? Certainty::kCertain : Certainty::kLikely;
      }
      break;
    case 4:
      if (anchor == Anchor::kLoose || (joined && anchor == Anchor::kWord)) return;
      certainty = ((firm || !joined) && clean) || begins ? Certainty::kCertain
                  : quoted                               ? Certainty::kLikely
                                                         : Certainty::kPossible;
      break;
    case 3:
      if (anchor <= Anchor::kWord || has(best.facts, kUnknown)) return;
      if (quoted) {
        certainty = closed || begins ? Certainty::kCertain : Certainty::kLikely;
      } else {
        certainty =
            firm && clean && !has(phrase_.lead, kCompares) ? Certainty::kCertain : Certainty::kPossible;
      }
      break;
    case 2:
      if (anchor <= Anchor::kWord) return;
      certainty = closed || (firm && tail != Tail::kUnknown) ? Certainty::kCertain : Certainty::kLikely;
      break;
    default:
      if (!firm) return;
      if (quoted) {
        certainty = closed ? Certainty::kCertain : Certainty::kPossible;
      } else if (best.constant) {
        if (!clean) return;
        // 1 is not null or 1; 1 or 1 is also what people answer.
        const bool widens = iequals(text_.substr(best.begin, 2), "or") && phrase_.lead_constant;
        certainty = closed || (widens && has(phrase_.lead, kSqlCompare)) ? Certainty::kCertain
                    : widens                                             ? Certainty::kLikely
                                                                         : Certainty::kPossible;
      } else {
        if (!closed) return;
        certainty = Certainty::kLikely;
      }
  }
  if (best.link == Link::kLogicSign && best.weight <= 3 && !quoted) certainty = lower(certainty);
  if (quoted && opens_ && best.weight <= 3) certainty = lower(certainty);
  add(kind, certainty, best.begin, best.end, detail);
}

// Text behind the quote that ends the application's string, where no condition stands.
void SqlReader::judge_closed(Tail tail, std::uint32_t end) {
  if (before_.kind == TokenKind::kComma && tail != Tail::kOpenString) return;  // ',; and ", #
  const bool only_lead = phrase_.best.begin == kNowhere;
  const bool little = hides_little(lexer_.hidden());
  const bool single = text_.substr(0, phrase_.begin).find_first_of(" \t\n") == std::string_view::npos;
  if (tail == Tail::kComment) {
    const bool secret =
        single && phrase_.lead_operands <= 1 && ends_like_a_secret(text_.substr(0, phrase_.begin));
    // "start" --user name --quiet: an option of a command.
    const bool option = !little && !lexer_.hidden().empty() && is_alpha(lexer_.hidden().front());
    const Certainty certainty = opens_                                     ? Certainty::kPossible
                                : (little || single) && !secret && !option ? Certainty::kCertain
                                                                           : Certainty::kLikely;
    add(SqlEvidence::kCommentedOut, certainty, phrase_.begin, end, {});
    return;
  }
  if (phrase_.aliased && phrase_.clause_keyword == Keyword::kFrom)
    add(SqlEvidence::kFragment, Certainty::kCertain, phrase_.begin, end, "an alias before FROM");
  const bool compares = phrase_.terms == 1 && phrase_.lead_operands >= 2 && has(phrase_.lead, kCompares);
  if (tail == Tail::kSemicolon) {
    if (compares && ahead_.kind == TokenKind::kEnd)
      add(SqlEvidence::kClosedExpression, Certainty::kCertain, phrase_.begin, end, {});
    add(SqlEvidence::kCommentedOut,
        ahead_.kind != TokenKind::kEnd ? Certainty::kPossible
        : single && !opens_            ? Certainty::kCertain
                                       : Certainty::kLikely,
        phrase_.begin, end, {});
    return;
  }
  if (tail == Tail::kEnd && compares && only_lead && phrase_.begin == 0 && !has(phrase_.lead, kNames)) {
    add(SqlEvidence::kClosedExpression, Certainty::kLikely, phrase_.begin, end, {});
    return;
  }
  if (tail == Tail::kEnd && compares && only_lead && single && !opens_)
    add(SqlEvidence::kClosedExpression, Certainty::kPossible, phrase_.begin, end, {});
  if (tail != Tail::kOpenString || !only_lead) return;
  if (phrase_.terms == 1 && phrase_.lead_operands >= 2) {
    const bool names = has(phrase_.lead, kNames) && !has(phrase_.lead, kComparedInside);
    const Certainty certainty = opens_     ? Certainty::kPossible
                                : compares ? Certainty::kCertain
                                : names    ? Certainty::kPossible
                                           : Certainty::kLikely;
    add(SqlEvidence::kClosedExpression, certainty, phrase_.begin, end, {});
  } else if (phrase_.assigns) {
    add(SqlEvidence::kFragment, Certainty::kCertain, phrase_.begin, end, "an assignment");
  } else if (phrase_.closers > 0 && phrase_.terms > 1) {
    add(SqlEvidence::kFragment, opens_ ? Certainty::kPossible : Certainty::kCertain, phrase_.begin, end,
        "another row");
  }
}

void SqlReader::judge_clause(Tail tail, std::uint32_t end) {
  if (phrase_.clause == kNowhere) return;
  const Anchor anchor = phrase_.anchor;
  const bool quoted = anchor == Anchor::kBreak;
  const bool hidden = tail == Tail::kComment && hides_little(lexer_.hidden());
  const bool clean = tail != Tail::kUnknown;
  const bool signs = has(phrase_.clause_facts, kSigned);
  const bool numbers = has(phrase_.clause_facts, kNumeric) &&
                       !has(phrase_.clause_facts | phrase_.lead, kNames) && phrase_.begin == value_begin_;
  Certainty certainty = Certainty::kPossible;
  switch (phrase_.clause_keyword) {
    case Keyword::kOrder:
    case Keyword::kGroup:
      if (tail == Tail::kComment && has(phrase_.clause_facts, kNumeric) &&
          !has(phrase_.clause_facts, kNames)) {
        certainty = Certainty::kCertain;
        break;
      }
      if (anchor < Anchor::kString && !hidden) return;
      if (quoted || hidden) {
        certainty = is_closed(tail) ? Certainty::kCertain : Certainty::kLikely;
      } else if (clean) {
        certainty = signs && anchor == Anchor::kFirm ? Certainty::kCertain : Certainty::kLikely;
      }
      break;
    case Keyword::kFrom: {
      const bool selects = has(phrase_.lead, kSigned) && has(phrase_.lead, kKnownCall | kTelling);
      const bool star = text_.substr(phrase_.begin, 1) == "*";
      if (!(star || selects || hidden) || !clean) return;
      const bool calls = has(phrase_.lead, kKnownCall) && has(phrase_.lead, kText | kNumeric);
      // "Backport it from main #12", "… from the list (#12)": a comment that hides a number is one only
      // behind a grammar from the beginning on, and what it hides cannot close a parenthesis.
      const bool empty = trim(lexer_.hidden()).empty();
      const bool whole = hidden && (empty || (anchor != Anchor::kLoose && !unclosed_));
      certainty = whole || calls ? Certainty::kCertain : Certainty::kLikely;
      break;
    }
    case Keyword::kProcedure:
    case Keyword::kInto:
    case Keyword::kOn:
      if (anchor < Anchor::kString) return;
      certainty = clean && signs ? Certainty::kCertain : Certainty::kPossible;
      break;
    case Keyword::kLimit:
      if (anchor < Anchor::kFirm || !clean) return;
      certainty = is_closed(tail) ? Certainty::kCertain : numbers ? Certainty::kLikely : Certainty::kPossible;
      break;
    default:
      if (anchor < Anchor::kFirm || !clean) return;
      certainty = is_closed(tail) || numbers ? Certainty::kLikely : Certainty::kPossible;
  }
  if (quoted && opens_) certainty = lower(certainty);
  add(SqlEvidence::kClause, certainty, phrase_.clause, end, phrase_.clause_name);
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
  if (operates) return add(SqlEvidence::kFragment, Certainty::kLikely, value_begin_, end, "an operator");
  if (tail == Tail::kUnknown || phrase_.begin != value_begin_ || phrase_.anchor == Anchor::kLoose) return;
  const Facts all = phrase_.lead | phrase_.best.facts;
  const bool first = phrase_.terms == 1 && phrase_.lead_operands > 0;
  Certainty certainty = Certainty::kLikely;
  std::string_view what;
  if (broken_off_) {
    what = "an expression that breaks off";
    certainty = Certainty::kCertain;
  } else if (phrase_.led_by_logic && (has(all, kCompares | kTruth | kComparedInside) || hiding_)) {
    return add(SqlEvidence::kCondition, Certainty::kCertain, phrase_.begin, end,
               text_.substr(phrase_.begin, 40));
  } else if (phrase_.led_by_logic && has(all, kNumeric | kText)) {
    what = "a condition that goes on";
  } else if (phrase_.aliased && phrase_.clause_keyword == Keyword::kFrom &&
             !istarts_with(text_.substr(phrase_.begin), "as ")) {  // as seen from space
    what = "an alias before FROM";
    certainty = Certainty::kCertain;
  } else if (first && has(phrase_.lead, kTruth) &&
             (has(phrase_.lead, kSqlCompare) ||
              (has(phrase_.lead, kText) && (!has(phrase_.lead, kNumeric) || phrase_.lead_operands > 2)))) {
    what = "a comparison of constants";
    certainty = Certainty::kCertain;
  } else if (first && has(phrase_.lead, kCast)) {
    what = "a cast";
    certainty = Certainty::kCertain;
  } else if (first && has(phrase_.lead, kInfo) && !phrase_.broken) {
    what = "what the database says of itself";
    if (has(phrase_.lead, kSigned)) certainty = Certainty::kCertain;
  } else if (first && tail == Tail::kComment && phrase_.anchor >= Anchor::kFirm &&
             text_[token_.begin] != '#' && has(phrase_.lead, kNumeric | kText) &&
             !has(phrase_.lead, kArithmetic | kNames) && hides_little(lexer_.hidden())) {
    what = "a value and a comment";
  } else if (tail == Tail::kComment && phrase_.closers > 0 && phrase_.terms <= phrase_.closers + 1 &&
             phrase_.anchor >= Anchor::kFirm && !has(phrase_.lead, kNames | kCompares) &&
             hides_little(lexer_.hidden())) {
    what = "a parenthesis and a comment";
    if (lexer_.hidden().size() <= 2) certainty = Certainty::kCertain;
  } else if (first && phrase_.lead_operands == 1 && has(phrase_.lead, kCaseValue) && !phrase_.broken) {
    what = "CASE";
    certainty = Certainty::kCertain;
  } else if (first && phrase_.lead_operands == 1 && has(phrase_.lead, kKnownCall) &&
             (has(phrase_.lead, kTelling) ||
              (has(phrase_.lead, kPattern) && has(phrase_.lead, kComparedInside))) &&
             !phrase_.broken) {
    what = "a call";
    certainty = Certainty::kCertain;
  } else if (first && phrase_.lead_operands == 1 && has(phrase_.lead, kKnownCall) &&
             (has(phrase_.lead, kComparedInside) ||
              (has(phrase_.lead, kText | kNumeric) && !has(phrase_.lead, kNames))) &&
             !has(phrase_.lead, kUnknown) && !phrase_.broken) {
    what = "a call with constants or a condition";
  } else if (first && phrase_.lead_operands > 1 && has(phrase_.lead, kComparedInside) &&
             has(phrase_.lead, kArithmetic | kCompares) && !has(phrase_.lead, kUnknown) && !phrase_.broken) {
    what = "a calculation with a condition";
  } else if (phrase_.led && top().mode == Mode::kQuery && top().query.set_operator == phrase_.begin &&
             tail == Tail::kEnd && top().facts == 0) {
    what = "UNION SELECT";
    if (has_odd_case(text_.substr(phrase_.begin, 5))) certainty = Certainty::kCertain;
  } else if (phrase_.led && has(phrase_.facts, kTelling) && token_.begin != phrase_.begin) {
    what = "the rest of a query";
    certainty = Certainty::kCertain;
  } else if ((phrase_.led_by_compare && !has(phrase_.lead, kNames) &&
              has(phrase_.lead, kNumeric | kText | kBoolean)) ||
             (phrase_.closers > 0 && phrase_.best.begin != kNowhere && phrase_.best.weight >= 3)) {
    what = "the rest of a query";
  } else {
    return;
  }
  add(SqlEvidence::kFragment, certainty, phrase_.begin, end, what);
}

bool SqlReader::judge_query(const Frame& frame, std::uint32_t end) {
  if (frame.clause == Clause::kWith) return false;
  const Query& query = frame.query;
  const Facts facts = frame.facts | frame.term.facts;
  const bool signs = has(facts, kSigned);
  const bool strong = has(facts, kWeighty | kTelling | kKnownCall) || query.system || (query.table && signs);
  const bool words = !signs && query.table && !query.list_broken;
  const bool firm = query.anchor >= Anchor::kFirm;
  const bool star = query.star && frame.items == 1 && facts == kSigned;
  const bool empty = (facts == 0 || star) && !query.table;
  std::string_view name = "SELECT";
  Certainty certainty = Certainty::kPossible;
  if (query.set_operator != kNowhere) {
    if (empty || query.list_broken) {
      certainty = empty && firm && token_.end == text_.size() ? Certainty::kLikely : Certainty::kPossible;
    } else if (signs) {
      certainty = query.broken && !firm ? Certainty::kLikely : Certainty::kCertain;
    } else if (words) {
      certainty = firm                            ? Certainty::kCertain
                  : query.anchor > Anchor::kLoose ? Certainty::kLikely
                                                  : Certainty::kPossible;
    } else {
      certainty = firm && has(facts, kNames) ? Certainty::kLikely : Certainty::kPossible;
    }
    const bool selects =
        query.table || frame.items > 1 || (facts & ~(kSigned | kNames | kArithmetic | kUnknown)) != 0;
    if (query.anchor <= Anchor::kWord && !selects) certainty = Certainty::kPossible;
    if (query.anchor == Anchor::kLoose) certainty = std::min(certainty, Certainty::kLikely);
    add(SqlEvidence::kUnionQuery, certainty, query.set_operator, end,
        text_.substr(query.set_operator, end - query.set_operator));
    return !empty;
  }
  if (empty || query.list_broken) return false;
  if (frame.kind != Frame::Kind::kTop) {
    if (query.inside && !has(facts, kWeighty)) return false;
    if (strong) {
      certainty = query.broken ? Certainty::kLikely : Certainty::kCertain;
    } else if (words || signs) {
      certainty = firm                            ? Certainty::kCertain
                  : query.anchor >= Anchor::kWord ? Certainty::kLikely
                                                  : Certainty::kPossible;
    } else {
      if (firm) add(SqlEvidence::kSubquery, certainty, frame.begin, end, name);
      return false;
    }
    if (query.anchor == Anchor::kStatement && certainty == Certainty::kCertain)
      certainty = Certainty::kLikely;
    add(SqlEvidence::kSubquery, certainty, frame.begin, end, name);
    return true;
  }
  if (query.stacked) {
    if (query.anchor == Anchor::kStatement) return true;
    if (firm) {
      certainty = signs || words                   ? (query.broken ? Certainty::kLikely : Certainty::kCertain)
                  : query.anchor == Anchor::kBreak ? Certainty::kLikely
                                                   : Certainty::kPossible;
    } else if (strong && !query.broken) {
      certainty = Certainty::kLikely;
    }
    add(SqlEvidence::kStackedStatement, certainty, query.begin, end, name);
    return true;
  }
  if (query.broken && !strong) return false;
  const bool hides = hiding_ || has_odd_case(text_.substr(query.begin, 6));
  const bool rows =
      frame.clause == Clause::kList && iequals(text_.substr(query.begin, 6), "values") && has(facts, kText);
  if (query.statement && !query.broken &&
      (rows || has(facts, kWeighty | kTelling) || query.system || (hides && strong))) {
    certainty = Certainty::kCertain;
  } else if (query.statement && !query.broken && (signs || words)) {
    certainty = Certainty::kLikely;
  } else if (!strong) {
    return false;
  }
  const bool selects = query.table || has(facts, kWeighty | kTelling | kKnownCall | kNumeric | kText);
  if (query.statement && !query.broken && selects && certainty >= Certainty::kLikely)
    script_ = std::min(script_, query.begin);
  add(SqlEvidence::kStatement, certainty, query.begin, end, name);
  return true;
}

bool SqlReader::judge_call(const Frame& frame, std::uint32_t end, bool closed) {
  const WordRow* row = frame.function;
  Use use = row != nullptr ? row->use : Use::kNone;
  bool tells = row != nullptr && row->tells == Tells::kSql;
  if (frame.package != nullptr) {
    use = std::max(use, frame.package->use);
    tells = true;
  }
  if (use == Use::kGrow && has(frame.facts, kLarge)) {
    use = Use::kDelay;
    tells = true;
  }
  if (use < Use::kDelay) return false;
  const Facts facts = frame.facts;
  const bool bare = facts == 0;  // without arguments
  const std::string_view name =
      text_.substr(frame.begin, std::min<std::size_t>(text_.find('(', frame.begin) - frame.begin, 64));
  Certainty certainty = Certainty::kPossible;
  if (tells) {
    const bool words = !has(facts, kNumeric | kText | kHoldsQuery | kKnownCall | kInfo);
    certainty = bare                               ? Certainty::kPossible
                : frame.broken || !closed || words ? Certainty::kLikely
                                                   : Certainty::kCertain;
  } else {
    if (bare || frame.broken) return false;
    const Frame& outer = frames_[frames_.size() - 2];
    const bool selected = frame.selected;
    const bool first =
        frames_.size() == 2 && link_ == Link::kFirst && outer.term.operands == 0 && phrase_.terms == 0;
    if (use != Use::kDelay && !has(facts, kHoldsQuery | kInfo)) return false;
    if (selected || (frame.anchored && phrase_.anchor >= Anchor::kFirm)) {
      certainty = Certainty::kCertain;
    } else if (frame.anchored) {
      // sleep(5) in a test
      const bool goes_on = ahead_.kind == TokenKind::kWord && part(ahead_) != Part::kLogic;
      certainty = !first ? Certainty::kCertain : goes_on ? Certainty::kPossible : Certainty::kLikely;
    } else if (phrase_.at_break || link_ == Link::kLogic) {
      certainty = Certainty::kLikely;
    }
    if (has(facts, kNames)) certainty = lower(certainty);
    if (!closed) certainty = lower(certainty);
  }
  add(kind_of(use), certainty, frame.begin, end, name);
  return certainty >= Certainty::kLikely;
}

// A procedure of the server called without parentheses: exec xp_cmdshell 'dir'.
void SqlReader::judge_procedure() {
  const WordRow* row = token_.word;
  if (row == nullptr || row->use < Use::kDelay || row->tells != Tells::kSql) return;
  const bool argued = ahead_.kind == TokenKind::kString || ahead_.kind == TokenKind::kOpenString ||
                      ahead_.kind == TokenKind::kVariable || ahead_.kind == TokenKind::kNumber;
  const bool run = statement_.matched || token_.parts > 1;
  const bool whole = token_.begin == value_begin_ && ahead_.kind == TokenKind::kEnd;
  const Certainty certainty = argued || run ? Certainty::kCertain
                              : whole       ? Certainty::kLikely
                                            : Certainty::kPossible;
  add(kind_of(row->use), certainty, token_.begin, token_.end, spelled(token_));
}

// A table of a catalogue.
void SqlReader::judge_object() {
  const WordRow* row = token_.word;
  const WordRow* owner = token_.parts > 1 ? token_.qualifier : nullptr;
  const bool owned =
      owner != nullptr && owner->object == Object::kSchema && (row != nullptr || owner->tells == Tells::kSql);
  const bool table = row != nullptr && row->object == Object::kTable;
  const bool schema = row != nullptr && row->object == Object::kSchema && row->tells == Tells::kSql;
  const bool tells = (table && row->tells == Tells::kSql) || schema || (owned && owner->tells == Tells::kSql);
  if (!tells && !owned) return;
  Frame& frame = top();
  const bool from = frame.clause == Clause::kFrom && (frame.operand_next || frame.name_free);
  if (from) {
    frame.query.system = true;
    frame.term.facts |= kInfo;
  }
  const bool whole = quote_ == Quote::kNone && token_.begin == value_begin_ && ahead_.kind == TokenKind::kEnd;
  const Certainty certainty = from ? Certainty::kCertain : whole ? Certainty::kLikely : Certainty::kPossible;
  if (!from && !tells && !whole) return;
  add(SqlEvidence::kSystemObject, certainty, token_.begin, token_.end, spelled(token_));
}

void SqlReader::judge_statement(Tail tail, std::uint32_t end) {
  const Statement& statement = statement_;
  const StatementRow& row = *statement.row;
  const bool tells = statement.tells && statement.matched;
  const bool signs = has(statement.facts, kSigned | kCompares);
  const bool whole = statement.matched && statement.later;
  Certainty certainty = Certainty::kPossible;
  if (row.use != Use::kNone && tells && whole && signs)
    add(kind_of(row.use), Certainty::kCertain, statement.begin, end, row.text);
  if (statement.anchor == Anchor::kStatement && !statement.stacked) {
    const bool telling = tells || has(statement.facts, kNumeric | kText | kWeighty | kKnownCall);
    // EXECUTE plan
    const bool runs = row.use == Use::kCommand && tail == Tail::kEnd && statement.tokens == 1;
    if (!whole || (!telling && !statement.worded && !runs) ||
        (statement.strays > 0 && !(signs && statement.worded)))
      return;
    const bool defines = statement.names_quoted && statement.worded && changes_schema(row.text);
    const bool hostile =
        has(statement.facts, kWeighty) || tells || defines || (hiding_ && statement.strays == 0);
    certainty = tells || defines || (hostile && tail != Tail::kUnknown) ? Certainty::kCertain
                : statement.worded || signs || runs                     ? Certainty::kLikely
                                                                        : Certainty::kPossible;
    if (certainty >= Certainty::kLikely && tail != Tail::kUnknown && statement.strays == 0)
      script_ = std::min(script_, statement.begin);
    add(SqlEvidence::kStatement, certainty, statement.begin, end, row.text);
    return;
  }
  if (statement.anchor == Anchor::kStatement || (statement.unparted && !statement.matched)) return;
  if (tells && whole && (signs || statement.anchor > Anchor::kLoose)) {
    certainty = Certainty::kCertain;
  } else if (whole && !(statement.unparted && !(signs && statement.worded && tail == Tail::kComment))) {
    const bool firm = statement.anchor >= Anchor::kFirm;
    const bool sure = (statement.worded || signs) && (statement.strays == 0 || signs);
    if (firm) {
      certainty = sure ? Certainty::kCertain
                  : statement.anchor == Anchor::kBreak ||
                          (statement.strays == 0 && tail != Tail::kUnknown && !has(statement.facts, kUnknown))
                      ? Certainty::kLikely
                      : Certainty::kPossible;
    } else if (statement.anchor >= Anchor::kWord) {
      certainty = sure ? Certainty::kLikely : Certainty::kPossible;
    } else {
      certainty = sure && signs && statement.worded && statement.strays == 0 ? Certainty::kLikely
                                                                             : Certainty::kPossible;
    }
  } else if (statement.begin == value_begin_ && statement.stacked && tail == Tail::kEnd) {
    certainty = Certainty::kLikely;  // ;drop
  }
  add(SqlEvidence::kStackedStatement, certainty, statement.begin, end, row.text);
}

}  // namespace wafd::detect::sql
