// SqlReader: the effect of each word on the reading.
#include <algorithm>
#include <utility>

#include "detect/analyze/sql/phrases.tsv.h"
#include "detect/analyze/sql/sql_reader.h"
#include "detect/core/bytes.h"

namespace wafd::detect::sql {

// Whether the token before requires this word as its operand: a type after ::, a name after AS.
bool SqlReader::is_awaited() {
  if (type_next_) {
    type_next_ = false;
    top().name_free = true;
    if (part(token_) == Part::kType && before_.kind == TokenKind::kOperator)
      top().term.facts |= kCast | kTelling;
    return true;
  }
  return std::exchange(alias_next_, false);
}

void SqlReader::word() {
  const bool starts = std::exchange(statement_next_, false);
  if (is_awaited() || (starts && begin_statement())) return;
  if (!top().operand_next && absorbs_phrase()) return;
  const Part role = part(token_);
  if (set_operator_ != kNowhere && role != Part::kSelect && role != Part::kQuery) {
    if (role == Part::kPrefix) return;  // ALL, DISTINCT
    return unknown();
  }
  switch (role) {
    case Part::kName:
    case Part::kFiller:
    case Part::kType:
    case Part::kDeterminer:
      return name();
    case Part::kConstant:
      return constant();
    case Part::kPrefix:
      return prefix();
    case Part::kLogic:
      return logic_word();
    case Part::kCompare:
      return compare_word();
    case Part::kArithmetic:
      if (top().operand_next) return name();
      top().term.facts |= kArithmetic;
      top().operand_next = true;
      return;
    case Part::kSuffix:
      if (top().operand_next) return unknown();
      top().term.facts |= kTelling;
      if (ahead_.kind == TokenKind::kWord || ahead_.kind == TokenKind::kString) ahead_ = lexer_.next();
      return;
    case Part::kPostfix:
      if (ahead_.kind == TokenKind::kLeft || top().operand_next) return name();
      if (token_.word->use != Use::kNone) top().term.facts |= kCompares | kTelling;
      return;
    case Part::kCase:
    case Part::kBranch:
    case Part::kEnd:
      return case_word(role);
    case Part::kSelect:
      return select();
    case Part::kQuery:
      return query_word();
    case Part::kSetOperator:
      return set_operator();
    case Part::kClause:
      return clause();
    case Part::kHint:
      // In a table's factor; elsewhere names.
      if (top().clause != Clause::kFrom) return name();
      return;
  }
}

void SqlReader::constant() {
  if (ahead_.kind == TokenKind::kLeft) return name();
  const Keyword which = keyword(token_);
  const bool boolean = which == Keyword::kTrue || which == Keyword::kFalse || which == Keyword::kNull;
  const Facts known = token_.word->use == Use::kInfo ? kInfo | kTelling : 0u;
  operand((boolean ? kBoolean | kSigned : 0u) | known, true);
}

void SqlReader::logic_word() {
  if (keyword(token_) == Keyword::kAnd && top().term.between) {
    top().term.between = false;
    top().operand_next = true;
    return;
  }
  top().operand_next || top().aliased ? unknown() : take_logic(Link::kLogic);
}

// More than one word that may follow an operand: FOR UPDATE, AT TIME ZONE 'utc'.
bool SqlReader::absorbs_phrase() {
  if (token_.quoted || token_.parts > 1 || ahead_.kind != TokenKind::kWord) return false;
  const PhraseRow* row = kPhrases.find(spelled(token_));
  if (row == nullptr) return false;
  for (std::string_view rests = row->rests; !rests.empty();) {
    const std::size_t end = std::min(rests.find(','), rests.size());
    if (absorbs_rest(rests.substr(0, end))) return true;
    rests.remove_prefix(std::min(end + 1, rests.size()));
  }
  return false;
}

bool SqlReader::absorbs_rest(std::string_view rest) {
  const Lexer start = lexer_;
  const Token first = ahead_;
  Token last = token_;
  bool operand = false;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view expected = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    operand = expected == "*";
    if (operand) break;
    const bool fits = expected == "#" ? ahead_.kind == TokenKind::kNumber
                                      : ahead_.kind == TokenKind::kWord && iequals(spelled(ahead_), expected);
    if (!fits) {
      lexer_ = start;
      ahead_ = first;
      return false;
    }
    last = ahead_;
    ahead_ = lexer_.next();
  }
  token_ = last;
  Frame& frame = top();
  frame.operand_next = operand;
  frame.name_free = frame.mode == Mode::kQuery && frame.clause == Clause::kFrom;
  frame.interval = false;
  return true;
}

// A name may follow what is there: an alias, a unit, the second word of a type.
bool SqlReader::absorbs_name() {
  Frame& frame = top();
  if (frame.mode == Mode::kStatement) return true;
  if (part(token_) == Part::kType && part(before_) == Part::kType) return true;
  if (!frame.name_free || part(token_) == Part::kDeterminer) return false;
  if (std::exchange(frame.interval, false)) {  // INTERVAL 1 DAY
    frame.name_free = false;
    return true;
  }
  frame.name_free = part(token_) == Part::kType;
  frame.aliased = frames_.size() == 1 && frame.mode == Mode::kExpression && !frame.name_free;
  return true;
}

void SqlReader::name() {
  const bool called = ahead_.kind == TokenKind::kLeft && text_[ahead_.begin] == '(';
  judge_object();
  if (!called) judge_procedure();
  if (!top().operand_next) {
    if (called && iequals(spelled(token_), "operator")) return named_operator();
    if (called && before_.kind == TokenKind::kRight && iequals(spelled(token_), "against")) {
      postfix_next_ = true;  // MATCH (…) AGAINST (…)
      return;
    }
    const bool text = ahead_.kind == TokenKind::kString || ahead_.kind == TokenKind::kOpenString;
    if (text && iequals(spelled(token_), "match")) return take_compare();  // SQLite
    if (iequals(spelled(token_), "member") && iequals(spelled(ahead_), "of")) {
      ahead_ = lexer_.next();
      return take_compare();
    }
    if (phrase_.closers > 0 && begin_unparted_statement()) return;
    if (absorbs_name()) return;
    if (called && top().clause == Clause::kFrom) return;  // tablesample system (100)
    if (begin_unparted_statement()) return;
    unknown();
  }
  if (called) {
    call_ = true;
    if (top().term.begin == kNowhere) top().term.begin = token_.begin;
    top().fresh = false;
    return;
  }
  Frame& frame = top();
  // XMLELEMENT(NAME a, b), XMLSERIALIZE(CONTENT a AS text)
  if (frame.kind == FrameKind::kCall && frame.fresh && frame.function != nullptr &&
      frame.function->text.starts_with("xml") &&
      (ahead_.kind == TokenKind::kWord || ahead_.kind == TokenKind::kString)) {
    frame.fresh = false;
    return;
  }
  const bool nobodys = part(token_) == Part::kDeterminer;
  if (nobodys && frame.mode == Mode::kQuery) {
    frame.query.broken = true;
    if ((frame.facts & kSigned) == 0) frame.query.list_broken = true;
  }
  if (frame.mode == Mode::kQuery && frame.clause == Clause::kFrom && !nobodys) frame.query.table = true;
  const bool tells = token_.word != nullptr && !token_.quoted && token_.word->use >= Use::kDelay &&
                     token_.word->tells == Tells::kSql;
  operand(kNames | (nobodys ? kUnknown : 0u) | (tells ? kTelling : 0u), false);
}

// OPERATOR(pg_catalog.=) of PostgreSQL.
void SqlReader::named_operator() {
  while (ahead_.kind != TokenKind::kRight && ahead_.kind != TokenKind::kEnd) ahead_ = lexer_.next();
  if (ahead_.kind == TokenKind::kRight) ahead_ = lexer_.next();
  top().term.facts |= kCompares | kSqlCompare | kTelling | kSigned;
  top().operand_next = true;
  top().name_free = false;
}

void SqlReader::prefix() {
  Frame& frame = top();
  const Keyword which = keyword(token_);
  if (ahead_.kind == TokenKind::kLeft && token_.word->use != Use::kNone) return name();
  if (!frame.operand_next) {
    if (which == Keyword::kNot && (part(ahead_) == Part::kCompare || part(ahead_) == Part::kHint)) return;
    if (frame.mode == Mode::kStatement) return;
    unknown();
  }
  if (which == Keyword::kNot) top().term.facts |= kBoolean;
  if (which == Keyword::kDistinct && (top().term.facts & kCompares) != 0) top().term.distinct = true;
  if (which == Keyword::kDistinct && keyword(ahead_) == Keyword::kOn)
    ahead_ = lexer_.next();  // DISTINCT ON (a) b
  if (which == Keyword::kExists && ahead_.kind == TokenKind::kLeft) top().term.facts |= kTelling;
  if (which == Keyword::kInterval) top().unit = true;
  if (which == Keyword::kTop && (ahead_.kind == TokenKind::kNumber)) {
    token_ = ahead_;
    ahead_ = lexer_.next();
    top().facts |= kSigned;
  }
}

void SqlReader::compare_word() {
  Frame& frame = top();
  const Keyword which = keyword(token_);
  if (frame.operand_next) {
    if (ahead_.kind == TokenKind::kLeft) return name();  // like(a, b)
    if (part(before_) == Part::kCompare) return;         // sounds like
    return unknown();
  }
  if (iequals(spelled(token_), "similar")) {
    if (!iequals(spelled(ahead_), "to")) return name();
    ahead_ = lexer_.next();
  }
  if (which == Keyword::kIn && ahead_.kind == TokenKind::kWord) {
    // MATCH … AGAINST ('TEXT' IN BOOLEAN MODE)
    const std::string_view next = spelled(ahead_);
    if (keyword(ahead_) == Keyword::kBoolean || iequals(next, "natural")) {
      while (ahead_.kind == TokenKind::kWord && keyword(ahead_) != Keyword::kMode) ahead_ = lexer_.next();
      if (ahead_.kind == TokenKind::kWord) ahead_ = lexer_.next();
      return;
    }
  }
  take_compare();
  if (which != Keyword::kIs && which != Keyword::kIn) frame.term.facts |= kPattern;
  if (token_.word->tells == Tells::kSql) frame.term.facts |= kTelling;
  if (which == Keyword::kBetween) frame.term.between = true;
}

void SqlReader::case_word(Part role) {
  if (role == Part::kCase) {
    if (!top().operand_next) {
      if (top().mode == Mode::kStatement) return;
      unknown();
    }
    top().fresh = false;
    if (top().term.begin == kNowhere) top().term.begin = token_.begin;
    push(FrameKind::kCase, nullptr);
    top().items = 0;
    return;
  }
  if (top().kind != FrameKind::kCase) {
    if (top().mode == Mode::kStatement) {
      if (role == Part::kEnd) return;
      statement_next_ = true;  // IF … THEN statement
      return;
    }
    // The application's CASE goes on: ) when 5 then
    if (role != Part::kBranch || phrase_.closers == 0 || top().operand_next) return name();
    if (keyword(token_) != Keyword::kWhen && phrase_.branches) top().term.facts |= kTelling;
    phrase_.branches = true;
    close_term();
    top().operand_next = true;
    return;
  }
  if (role == Part::kBranch) {
    Term& term = top().term;  // WHEN TRUE
    if (iequals(spelled(token_), "then") && term.constant && (term.facts & kBoolean) != 0)
      term.facts |= kTruth;
    close_term();
    if (keyword(token_) == Keyword::kWhen) ++top().items;
    top().operand_next = true;
    return;
  }
  if (top().items == 0 || top().operand_next) top().broken = true;
  pop(true);
}

// extract(year from x), convert(x using utf8), cast(x as int), group_concat(x order by y)
void SqlReader::clause_in_parentheses(Keyword which) {
  Frame& frame = top();
  if (frame.kind != FrameKind::kCall && !frame.postfix) return unknown();
  if (which == Keyword::kAs) {
    type_next_ = true;
    return;
  }
  close_term();
  frame.operand_next = true;
  if (keyword(ahead_) == Keyword::kBy) ahead_ = lexer_.next();
}

// ON DUPLICATE KEY UPDATE a = b, ON CONFLICT (a) DO UPDATE SET a = b
void SqlReader::on_conflict() {
  while (ahead_.kind != TokenKind::kEnd && ahead_.kind != TokenKind::kSemicolon &&
         ahead_.kind != TokenKind::kComment && ahead_.kind != TokenKind::kOpenString &&
         keyword(ahead_) != Keyword::kSet && !iequals(spelled(ahead_), "update"))
    ahead_ = lexer_.next();
  if (ahead_.kind == TokenKind::kWord) ahead_ = lexer_.next();
  if (keyword(ahead_) == Keyword::kSet) ahead_ = lexer_.next();
}

void SqlReader::clause() {
  Frame& frame = top();
  const Keyword which = keyword(token_);
  const bool inner = frame.mode == Mode::kExpression && frames_.size() > 1;
  if (ahead_.kind == TokenKind::kOperator && ahead_.op == Op::kCompare && !frame.operand_next &&
      iequals(spelled(token_), "using")) {
    ahead_ = lexer_.next();  // ORDER BY a USING <
    return;
  }
  if (frame.term.distinct && which == Keyword::kFrom) {
    frame.term.distinct = false;
    frame.operand_next = true;
    return;
  }
  if (ahead_.kind == TokenKind::kLeft && token_.word->use != Use::kNone && frame.operand_next) return name();
  if (which == Keyword::kOutfile) {
    const bool file = ahead_.kind == TokenKind::kString || ahead_.kind == TokenKind::kOpenString ||
                      ahead_.kind == TokenKind::kNumber;
    if (file) add(SqlEvidence::kFileCall, Certainty::kCertain, token_.begin, ahead_.end, spelled(token_));
    frame.operand_next = true;
    return;
  }
  if (which == Keyword::kProcedure && keyword(ahead_) == Keyword::kAnalyse)
    add(SqlEvidence::kClause, Certainty::kCertain, token_.begin, ahead_.end, "PROCEDURE ANALYSE");
  if (frame.mode == Mode::kStatement) {
    frame.operand_next = true;
    if (which == Keyword::kFrom || which == Keyword::kInto) frame.clause = Clause::kFrom;
    if (which == Keyword::kWhere || which == Keyword::kSet) frame.clause = Clause::kWhere;
    return;
  }
  // SELECT FROM t: PostgreSQL needs no columns.
  const bool columnless =
      which == Keyword::kFrom && frame.mode == Mode::kQuery && part(before_) == Part::kSelect;
  if (frame.operand_next && !columnless) {
    if (!frame.postfix && which != Keyword::kBy && which != Keyword::kInto) return unknown();
    if (keyword(ahead_) == Keyword::kBy) ahead_ = lexer_.next();  // OVER (ORDER BY x)
    return;
  }
  if (inner) return clause_in_parentheses(which);
  if (which == Keyword::kAs) {
    alias_next_ = ahead_.kind == TokenKind::kWord;
    phrase_.aliased = true;
    return;
  }
  clause_of_query(which);
}

// A clause of the query in which the text stands, or of one of its own.
void SqlReader::clause_of_query(Keyword which) {
  Frame& frame = top();
  const bool two = which == Keyword::kGroup || which == Keyword::kOrder;
  if (two && keyword(ahead_) != Keyword::kBy) return name();
  if (which == Keyword::kLimit && frame.mode != Mode::kQuery && part(ahead_) == Part::kName &&
      ahead_.kind == TokenKind::kWord)
    return name();
  if (which == Keyword::kSet || which == Keyword::kBy || iequals(spelled(token_), "to")) return name();
  const std::uint32_t begin = token_.begin;
  close_term();
  frame.aliased = false;
  if (two) {
    token_ = ahead_;
    ahead_ = lexer_.next();
  }
  frame.operand_next = true;
  frame.name_free = false;
  const bool filters = which == Keyword::kWhere || which == Keyword::kHaving;
  if (frame.mode == Mode::kQuery) {
    frame.clause = which == Keyword::kFrom ? Clause::kFrom : filters ? Clause::kWhere : frame.clause;
    if (two || which == Keyword::kLimit || which == Keyword::kInto || which == Keyword::kProcedure ||
        which == Keyword::kFor)
      frame.clause = Clause::kOther;
    if (which == Keyword::kFor) frame.operand_next = false, frame.name_free = true;
    return;
  }
  if (filters) {
    set_link(Link::kWhere, begin);
    return;
  }
  set_link(Link::kComma, begin);
  if (which == Keyword::kOn) {
    if (!iequals(spelled(ahead_), "duplicate") && !iequals(spelled(ahead_), "conflict")) return unknown();
    on_conflict();
  }
  const bool graver = which == Keyword::kInto || which == Keyword::kProcedure;
  if (phrase_.clause == kNowhere || graver) {
    phrase_.clause = begin;
    phrase_.clause_keyword = which;
    phrase_.clause_name = text_.substr(begin, token_.end - begin);
  }
  if (which == Keyword::kFrom) frame.clause = Clause::kFrom;
}

void SqlReader::set_operator() {
  Frame& frame = top();
  if (frame.operand_next && !frame.fresh) {
    unknown();
  } else {
    close_term();
    if (frame.mode == Mode::kQuery) judge_query(frame, token_.begin);
  }
  set_operator_ = token_.begin;
  top().operand_next = true;
  top().name_free = false;
  const Part next = part(ahead_);
  if (is_behind_quote(token_.begin) && ahead_.kind != TokenKind::kEnd && next != Part::kSelect &&
      next != Part::kQuery && next != Part::kPrefix)
    add(SqlEvidence::kFragment, text_.size() <= kMaxOpeningBytes ? Certainty::kCertain : Certainty::kLikely,
        token_.begin, token_.end, "a set operator behind a quote");
}

// The text begins with a quote, it stays the only one, and what is at `at` stands directly behind it.
bool SqlReader::is_behind_quote(std::uint32_t at) const noexcept {
  return leads_ && phrase_.anchor == Anchor::kBreak && skip_space(text_, phrase_.begin + 1) == at &&
         text_.find_first_of("'\"`", at) == std::string_view::npos;
}

void SqlReader::begin_query() {
  Frame& frame = top();
  frame.mode = Mode::kQuery;
  frame.clause = Clause::kList;
  frame.fresh = false;
  frame.operand_next = true;
  frame.name_free = false;
  frame.items = 1;
  frame.constant = true;
  frame.facts = 0;
  frame.term = {};
  frame.query = {};
  frame.query.begin = token_.begin;
  frame.query.set_operator = set_operator_;
  frame.query.anchor = phrase_.broken ? std::min(phrase_.anchor, Anchor::kString) : phrase_.anchor;
  set_operator_ = kNowhere;
}

void SqlReader::select() {
  Frame& frame = top();
  if (frame.mode == Mode::kQuery && frame.clause == Clause::kWith) {
    frame.clause = Clause::kList;
    frame.operand_next = true;
    return;
  }
  const bool joined = set_operator_ != kNowhere;
  const bool inner = frames_.size() > 1 && frame.fresh && frame.kind != FrameKind::kCase;
  const bool inside = frame.mode == Mode::kStatement;  // INSERT … SELECT
  if (joined || inner || inside) return begin_query();
  unknown();
  begin_query();
  top().query.inside = frames_.size() > 1;
}

// TABLE t, VALUES (…), WITH x AS (…) SELECT … where a query may begin.
void SqlReader::query_word() {
  Frame& frame = top();
  const Keyword which = keyword(token_);
  const bool joined = set_operator_ != kNowhere;
  if (joined || (frames_.size() > 1 && frame.fresh && frame.kind == FrameKind::kGroup)) {
    if (which == Keyword::kValues && ahead_.kind != TokenKind::kLeft && part(ahead_) != Part::kPrefix)
      return unknown();
    begin_query();
    if (which == Keyword::kWith) {
      top().clause = Clause::kWith;
    } else if (which != Keyword::kValues) {
      top().clause = Clause::kFrom;
    }
    return;
  }
  if (frame.mode == Mode::kStatement || frame.clause == Clause::kFrom || !frame.operand_next) {
    frame.operand_next = frame.operand_next || which == Keyword::kValues;
    return;  // INSERT … VALUES, WITH (NOLOCK)
  }
  name();
}

}  // namespace wafd::detect::sql
