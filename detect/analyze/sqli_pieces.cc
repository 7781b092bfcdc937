// What stands directly behind a quote, and values that are SQL, or a piece of it, from beginning to end.
#include "detect/analyze/sqli_finder.h"

namespace wafd::detect::sqli {

void Finder::behind_quote() {
  const Token& next = sql_.at(start_);
  if (sql_.at_end(start_)) {
    if (start_ > 1) hit(kSuspected, 0, sql_.size(), "ends in a quote and a parenthesis");
    return;
  }
  std::size_t i = start_;
  if (next.kind == Kind::kSemicolon) ++i;
  if (next.kind == Kind::kSemicolon && sql_.at_end(i)) {
    return hit(kSuspected, 0, sql_.size(), "closes a string and ends the statement");
  }
  if (sql_.is_comment(i)) {
    // "dogs' -- a tale" is prose: there, words follow and words come before.
    const std::size_t behind = sql_.at(i).end;
    const std::string_view rest =
        sql_.at(i).kind == Kind::kOpenComment ? std::string_view{} : trim(text_.substr(behind));
    const std::string_view before = trim(text_.substr(0, sql_.at(0).begin));
    // In $('#name') the quote opens a string that another quote ends.
    const bool reopened = rest.find(sql_.at(0).first) != std::string_view::npos;
    const bool alone =
        !reopened && (rest.find(' ') == std::string_view::npos || before.find(' ') == std::string_view::npos);
    hit(alone ? kCommentedOut : kSuspected, 0, i + 1,
        "closes a string, then comments out the rest of the query");
    return;
  }
  const bool whole = plausible_ >= sql_.size();
  if (next.is(Word::kAs) && sql_.at(start_ + 1).kind == Kind::kWord && sql_.at(start_ + 2).is(Word::kFrom)) {
    hit(kFragment, 0, start_ + 3, "closes a name, gives it an alias and continues with FROM");
  }
  switch (next.part() == Part::kName ? Word::kOther : next.info->word) {
    case Word::kUnion:
    case Word::kSelect:
    case Word::kInsert:
    case Word::kUpdate:
    case Word::kDelete:
    case Word::kDrop:
    case Word::kExec:
    case Word::kDeclare:
      hit(kSuspected, 0, start_ + 1, "closes a string, then names a statement of SQL");
      break;
    default:
      break;
  }
  if (!anchored_) return;
  if (next.kind == Kind::kCompare || (next.part() == Part::kCompare && next.info->word == Word::kLike)) {
    const Operand right = sql_.operand(start_ + 1);
    if (right && right.constant && whole && (is_text(sql_.at(right.first)) || ends_with_comment())) {
      hit(kCondition, 0, right.end, "closes a string, then compares it with a constant");
    }
  }
  if (next.kind == Kind::kComma && ends_with_comment() && whole) {
    hit(kCommentedOut, 0, plausible_, "closes a string, adds values and comments out the rest of the query");
    return;
  }
  if (ends_with_comment() && whole) {
    hit(kCommentedOut, 0, plausible_, "closes a string, continues the query and comments out the rest");
  }
}

void Finder::whole_value() {
  std::size_t i = 0;
  while (sql_.at(i).kind == Kind::kLeft) ++i;
  const Shape shape = sql_.statement(i);
  const bool whole = plausible_ >= sql_.size();
  if (shape == Shape::kNone) return fragment(i, whole);
  const std::string reason = "is a statement of SQL: " + to_upper(sql_.spelled(i));
  // A statement on ordinary tables with prose behind it is a question about SQL.
  const bool telling = sql_.at(i).is(Word::kSelect) && (sql_.select(i).telling || sql_.select(i).system);
  hit(shape == Shape::kStrong && (whole || telling) ? kWholeStatement : kSuspected, i, sql_.size(), reason);
}

void Finder::fragment(std::size_t i, bool whole) {
  const Token& first = sql_.at(i);
  const std::size_t n = sql_.size();
  if (sql_.at_end(i)) return;
  if (first.kind == Kind::kWord && !first.quoted) {
    // pg_sleep(   select pg_sleep   if(2=
    std::size_t open = i + (first.is(Word::kSelect) ? 1 : 0);
    const Token& callee = sql_.at(open);
    if (callee.kind == Kind::kWord && callee.info->use != Use::kNone) {
      if (open > i && callee.info->distinctive && open + 1 == n) {
        return hit(kFragment, i, n, "selects a function of SQL");
      }
      ++open;
      while (sql_.at(open).kind == Kind::kDot && sql_.at(open + 1).kind == Kind::kWord) open += 2;
      if (sql_.at(open).kind == Kind::kLeft) {
        if (open + 1 == n) return hit(kFragment, i, n, "breaks off inside of a call of a function of SQL");
        const Operand argument = sql_.operand(open + 1);
        if (callee.is(Word::kIf) && argument && argument.constant &&
            sql_.at(argument.end).kind == Kind::kCompare && argument.end + 1 == n) {
          return hit(kFragment, i, n, "breaks off inside of a condition of SQL");
        }
      }
    }
    if (first.is(Word::kValues) && sql_.at(i + 1).kind == Kind::kLeft && whole && is_text(sql_.at(i + 2))) {
      return hit(kFragment, i, n, "is a list of values of an INSERT");
    }
    if (first.is(Word::kFrom) && sql_.at(i + 1).kind == Kind::kWord && sql_.at(i + 2).is(Word::kWhere) &&
        sql_.condition(i + 3).compares) {
      return hit(kFragment, i, sql_.condition(i + 3).end, "is the FROM and WHERE of a query");
    }
    if (first.is(Word::kHaving)) {
      const Condition c = sql_.condition(i + 1);
      if (c && c.compares && c.use() != Use::kNone && whole)
        return hit(kFragment, i, n, "is a HAVING clause");
    }
  }
  if (stream_.casts != 0 && whole && n > 1)
    return hit(kFragment, i, n, "is an expression of PostgreSQL with a cast");
  if ((first.kind == Kind::kRight || first.kind == Kind::kNumber) && sql_.at(i + 1).is(Word::kAs) &&
      (sql_.at(i + 2).kind == Kind::kWord || is_text(sql_.at(i + 2))) && sql_.at(i + 3).is(Word::kFrom)) {
    return hit(kFragment, i, i + 4, "gives a column an alias and continues with FROM");
  }
  if (is_logic(first) && whole) {
    const Operand left = sql_.operand(i + 1);
    const std::size_t behind = left ? left.end + 1 : n;
    if (left && left.constant && sql_.at(left.end).kind == Kind::kCompare &&
        (behind == n || sql_.at(behind).kind == Kind::kLeft)) {
      return hit(kFragment, i, n, "continues a query with a comparison that breaks off");
    }
  }
  const Condition c = sql_.condition(i);
  if (c && c.compares && c.end == n && c.constant() && sql_.at(c.left.first).kind == Kind::kNumber &&
      sql_.at(c.right.first).kind == Kind::kNumber && c.left.first + 1 == c.left.end &&
      c.right.first + 1 == c.right.end && c.right.end == n) {
    const Token& op = sql_.at(c.left.end);
    // 1=1, 2<>3, 4 like 4: nobody asks for the outcome. 1<2 is an interval or a heart.
    const std::string_view sign = sql_.spelled(c.left.end);
    const bool equality =
        sign == "=" || sign == "!=" || sign == "<>" || sign == "<=>" || op.kind == Kind::kWord;
    if (equality) return hit(kFragment, i, n, "compares constants, as a condition of SQL would");
  }
  if (whole && (is_logic(first) || first.part() == Part::kClause || first.part() == Part::kCompare)) {
    const bool signs = std::any_of(stream_.tokens.begin(), stream_.tokens.end(), [&](const Token& t) {
      return t.kind == Kind::kLeft || t.kind == Kind::kCompare || is_text(t) ||
             (t.kind == Kind::kNumber && first.part() == Part::kLogic);
    });
    if (signs) hit(kSuspected, i, n, "reads as the continuation of a query");
  }
}

}  // namespace wafd::detect::sqli
