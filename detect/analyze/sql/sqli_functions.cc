// Calls that are of use to an attacker, subqueries, second statements.
#include "detect/analyze/sql/sqli_finder.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sqli {
namespace {

constexpr std::size_t kMaxSigns = 16;       // between an operator and the call behind it
constexpr std::size_t kMaxCallTokens = 64;  // of a call that are looked at

}  // namespace

void Finder::function(std::size_t i) {
  const Token& t = sql_.at(i);
  const std::string name = to_lower(sql_.spelled(i));
  std::size_t open = i + 1;
  while (sql_.at(open).kind == Kind::kDot && sql_.at(open + 1).kind == Kind::kWord) open += 2;
  const bool called =
      sql_.at(open).kind == Kind::kLeft && sql_.at(open + 1).kind != Kind::kRight && !sql_.at_end(open + 1);
  if (t.info->text == "exp") {
    if (called && sql_.at(open + 1).kind == Kind::kArithmetic && sql_.at(open + 1).first == '~') {
      hit(kErrorBased, i, sql_.behind_group(open), "overflows exp() so that an error carries data");
    }
    return;
  }
  const bool procedure = name.starts_with("xp_") || name.starts_with("sp_");
  if (procedure && !called) {
    const bool run = i > 0 && (sql_.at(i - 1).kind == Kind::kDot || sql_.at(i - 1).is(Word::kExec));
    const Token& argument = sql_.at(i + 1);
    if (!run && !is_text(argument)) return;
    if (argument.kind != Kind::kVariable && !is_text(argument) && !run) return;
  } else if (!called) {
    return;
  } else if (!t.info->distinctive && !position_of_a_call(i, open)) {
    return;
  }
  const std::size_t last = called ? sql_.behind_group(open) : i + 2;
  switch (t.info->use) {
    case Use::kDelay:
      return hit(kTimeDelay, i, last, "makes the database wait with " + name + "()");
    case Use::kError:
      return hit(kErrorBased, i, last, "calls " + name + "(), whose error message can carry data");
    case Use::kNetwork:
      return hit(kOutOfBand, i, last, "makes the database reach another machine with " + name);
    case Use::kFile:
      return hit(kFileOrCommand, i, last, "reads or writes files of the database's host with " + name);
    case Use::kCommand:
      return hit(kFileOrCommand, i, last, "runs commands on the database's host with " + name);
    default:
      return;
  }
}

bool Finder::position_of_a_call(std::size_t i, std::size_t open) const {
  if (i > 0 && sql_.at(i - 1).kind == Kind::kDot) return false;
  const Token& argument = sql_.at(open + 1);
  const bool number = argument.kind == Kind::kNumber || argument.kind == Kind::kLeft ||
                      sql_.at(open + 1).part() == Part::kCase ||
                      (argument.kind == Kind::kWord && argument.info->use != Use::kNone);
  if (sql_.at(i).info->use != Use::kDelay)
    return sql_.at(open + 1).kind == Kind::kLeft && sql_.at(open + 2).is(Word::kSelect);
  if (!number) return false;
  if (i == 0) return sql_.behind_group(open) == sql_.size() || sql_.is_comment(sql_.behind_group(open));
  const Token& before = sql_.at(i - 1);
  switch (before.kind) {
    case Kind::kBreak:
    case Kind::kCompare:
    case Kind::kArithmetic:
      return quoted_ ? anchored_ : in_reading(i) || before.kind == Kind::kCompare;
    case Kind::kSemicolon:
      return i == 1 && sql_.behind_group(open) == sql_.size();
    case Kind::kLogic:
      return quoted_ ? in_reading(i) : true;
    case Kind::kLeft:
    case Kind::kComma:
      return in_reading(i) || saw_sql_before(i);
    default:
      break;
  }
  const Part part = before.part();
  const std::size_t behind = sql_.behind_group(open);
  if (before.is(Word::kWhere) && (sql_.at_end(behind) || sql_.is_comment(behind))) return complete_;
  return part == Part::kLogic || part == Part::kSelect || part == Part::kWhen || part == Part::kCompare ||
         (part == Part::kUnary && before.is(Word::kNot)) ||
         (part == Part::kClause && !before.is(Word::kFor) && in_reading(i)) ||
         (part == Part::kStatement && sql_.statement(i - 1) != Shape::kNone);
}

bool Finder::saw_sql_before(std::size_t i) const noexcept {
  const std::size_t from = i > 16 ? i - 16 : 0;
  for (std::size_t j = from; j < i; ++j) {
    const Token& t = sql_.at(j);
    if (t.part() == Part::kSelect || t.is(Word::kIf) || t.part() == Part::kCase) return true;
  }
  return false;
}

void Finder::subquery(std::size_t i) {
  const SelectShape select = sql_.select(i + 1);
  const bool placed =
      i > 0 && (sql_.expects_expression_before(i) ||
                (sql_.at(i - 1).kind == Kind::kWord && sql_.at(i - 1).end == sql_.at(i).begin));
  const bool closed = sql_.at(i).match >= 0 || sql_.is_comment(sql_.size() - 1);
  const char* reason = "puts a query of its own into an expression";
  if (select.shape == Shape::kStrong || (select.shape == Shape::kWeak && (placed || in_reading(i)) &&
                                         (closed || select.from || select.telling))) {
    hit(kSubquery, i, select.end + 1, reason);
    if (select.system) hit(kSystemObject, i, select.end, "reads the database's own tables");
  } else if (in_reading(i)) {
    hit(select.shape == Shape::kNone ? kSuspected : kSubquery, i, i + 2, reason);
  }
}

// call a.b('c'): no space before the parenthesis, as in no sentence.
bool Finder::calls_closely(std::size_t i) const noexcept {
  if (!sql_.at(i).is(Word::kCall)) return false;
  std::size_t open = i + 2;
  while (sql_.at(open).kind == Kind::kDot && sql_.at(open + 1).kind == Kind::kWord) open += 2;
  return sql_.at(open).kind == Kind::kLeft && sql_.at(open).begin == sql_.at(open - 1).end &&
         sql_.at(open).match >= 0;
}

// Whether behind the semicolon `i` stand statements to the end, as no sentence has them: "…; drop table
// reservations; create user guides".
bool Finder::only_statements(std::size_t i) {
  if (statements_from_ == kNothing) {
    statements_from_ = sql_.size();
    for (std::size_t j = sql_.size(); j-- > 0;) {
      if (sql_.at(j).kind != Kind::kSemicolon) continue;
      const bool holds = sql_.at_end(j + 1) || sql_.is_comment(j + 1) ||
                         sql_.at(j + 1).kind == Kind::kSemicolon || sql_.statement(j + 1) != Shape::kNone;
      if (!holds && complete_) break;
      statements_from_ = j;
    }
  }
  return i >= statements_from_;
}

// 1-if(1=1,1,0), x'-length(y)-': a call behind an operator that takes numbers.
void Finder::arithmetic(std::size_t i) {
  const bool whole = complete_ && plausible_ >= sql_.size();
  if (!whole || !(quoted_ ? i == start_ && anchored_ : numeric_ && i > 0)) return;
  std::size_t j = i + 1;
  while (j < i + kMaxSigns && (sql_.at(j).kind == Kind::kLeft || sql_.at(j).kind == Kind::kArithmetic ||
                               sql_.at(j).kind == Kind::kNumber))
    ++j;
  const Token& callee = sql_.at(j);
  if (callee.kind != Kind::kWord || callee.quoted || callee.info->use == Use::kNone ||
      sql_.at(j + 1).kind != Kind::kLeft || sql_.at(j + 1).begin != callee.end)
    return;
  // What a formula of a calculator does not do: ask the database, compare with a constant.
  bool telling = callee.info->use >= Use::kInfo || callee.info->distinctive;
  const std::size_t open = sql_.at(i + 1).kind == Kind::kLeft ? i + 1 : j + 1;
  const std::size_t end = std::min(sql_.behind_group(open), j + kMaxCallTokens);
  for (std::size_t k = j + 1; k < end && !telling; ++k) {
    const Token& t = sql_.at(k);
    telling = (t.kind == Kind::kWord && !t.quoted &&
               (t.info->use >= Use::kInfo || t.part() == Part::kCase || t.is(Word::kSelect))) ||
              (t.kind == Kind::kCompare && is_value(sql_.at(k + 1)) &&
               (is_value(sql_.at(k - 1)) || sql_.at(k - 1).kind == Kind::kRight));
  }
  const bool joins = sql_.at(i).first == '+';  // of strings, in other languages
  if (telling || (quoted_ && !joins)) {
    hit(kCondition, i, sql_.behind_group(j + 1),
        std::string(opening()) + ", then calculates with " + to_lower(sql_.spelled(j)) + "()");
  }
}

// show tables, use master, kill 5: what a shell of the database is asked, to its end.
bool Finder::looks_around(std::size_t i) const noexcept {
  static constexpr WordSet kShown({"tables", "databases", "schemas", "columns", "fields", "grants",
                                   "variables", "status", "processlist", "privileges", "plugins", "engines",
                                   "triggers", "events", "warnings", "errors"});
  if (sql_.at(i).kind != Kind::kWord || sql_.at(i).quoted) return false;
  const std::string_view verb = sql_.spelled(i);
  std::size_t j = i + 1;
  if (iequals(verb, "show")) {
    if (iequals(sql_.spelled(j), "full") || iequals(sql_.spelled(j), "global")) ++j;
    return kShown.has(sql_.spelled(j));
  }
  const bool ends = sql_.is_comment(j + 1) || (sql_.at(j + 1).kind == Kind::kSemicolon && sql_.at_end(j + 2));
  if (iequals(verb, "use")) return sql_.at(j).kind == Kind::kWord && ends;
  return iequals(verb, "kill") && sql_.at(j).kind == Kind::kNumber && (ends || sql_.at_end(j + 1));
}

void Finder::stacked(std::size_t i) {
  const std::size_t first = i + 1;
  Shape shape = sql_.statement(first);
  if (shape == Shape::kNone && quoted_ && in_reading(i) && sql_.at(first).is(Word::kSelect))
    shape = Shape::kWeak;
  if (shape == Shape::kNone && in_reading(i) && (quoted_ || numeric_) && looks_around(first))
    shape = Shape::kStrong;
  if (shape == Shape::kNone) return;
  if (shape == Shape::kWeak && numeric_ && in_reading(i) && calls_closely(first)) shape = Shape::kStrong;
  if (shape == Shape::kStrong || (quoted_ && in_reading(i))) {
    if (in_reading(i) || (shape == Shape::kStrong && only_statements(i))) {
      hit(kStackedStatement, i, std::min(first + 6, sql_.size()),
          std::string(in_reading(i) ? opening() : "ends a statement") +
              ", then begins another: " + to_upper(sql_.spelled(first)));
      return;
    }
  }
  hit(kSuspected, i, first + 1, "could begin a second statement of SQL");
}

}  // namespace wafd::detect::sqli
