// Pieces of a query: values that break off, or that only a query could go on from.
#include "detect/analyze/sql/sqli_finder.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sqli {
namespace {

// Providers that OPENROWSET and linked servers name (Microsoft's list of OLE DB providers).
constexpr WordSet kProviders({"adsdsoobject",
                              "db2oledb",
                              "ibmdadb2",
                              "msdaipp.dso",
                              "msdaora",
                              "msdasql",
                              "msdatashape",
                              "msidxs",
                              "msolap",
                              "msoledbsql",
                              "msoledbsql19",
                              "microsoft.ace.oledb.12.0",
                              "microsoft.ace.oledb.16.0",
                              "microsoft.jet.oledb.4.0",
                              "oraoledb.oracle",
                              "search.collatordso",
                              "sqlncli",
                              "sqlncli10",
                              "sqlncli11",
                              "sqloledb"});

// current_user and the like, which some dialects call. Words without an underscore are others' as well.
bool spelled_function(std::string_view word) noexcept { return word.find('_') != word.npos; }

}  // namespace

// Values of a few tokens that are nothing but a piece. True if one was found.
bool Finder::alone(std::size_t i) {
  if (!complete_ || pair_) return false;
  const Token& first = sql_.at(i);
  const std::size_t n = sql_.size();
  const auto found = [&](const char* reason) {
    hit(kFragment, i, n, reason);
    return true;
  };
  if (n == 1 && first.kind == Kind::kString &&
      kProviders.has(text_.substr(first.begin + 1, first.end - first.begin - 2))) {
    return found("names the driver of another database");
  }
  if (n == 1 && first.kind == Kind::kWord && first.info->use >= Use::kNetwork && first.info->distinctive &&
      (istarts_with(sql_.spelled(i), "xp_") || istarts_with(sql_.spelled(i), "sp_"))) {
    return found("names a stored procedure that reaches out of the database");
  }
  if (first.is(Word::kUnion)) {
    std::size_t j = i + 1;
    while (sql_.at(j).part() == Part::kUnary) ++j;
    if (sql_.at(j).is(Word::kSelect) && j + 1 == n) return found("is UNION SELECT and nothing else");
  }
  if (first.kind == Kind::kComma && sql_.at(i + 1).kind == Kind::kWord && sql_.at(i + 1).info->distinctive &&
      sql_.at(i + 2).kind == Kind::kLeft && sql_.at(i + 2).match >= 0) {
    return found("continues a list of columns with a function of SQL");
  }
  if (first.kind == Kind::kSemicolon && sql_.at(i + 1).part() == Part::kStatement && n <= i + 3 &&
      changes_data(sql_.at(i + 1).info->word)) {
    return found("ends a statement, then begins another");
  }
  if (first.part() == Part::kStatement && changes_data(first.info->word) && n >= 4 && n <= 8 &&
      sql_.is_comment(n - 1) && sql_.at(n - 2).kind == Kind::kSemicolon) {
    return found("is a statement of SQL that comments out the rest of the query");
  }
  if (first.is(Word::kIn) && sql_.at(i + 1).kind == Kind::kLeft && sql_.behind_group(i + 1) == n &&
      sql_.at(i + 1).match >= 0 && is_value(sql_.at(i + 2))) {
    return found("is a list that a column is compared with");
  }
  std::size_t j = i;
  while (sql_.at(j).kind == Kind::kRight) ++j;
  if (sql_.at(j).is(Word::kWhen) ||
      (j == i && first.part() == Part::kCase && sql_.at(i + 1).is(Word::kWhen))) {
    const Condition when = sql_.condition(sql_.at(j).is(Word::kWhen) ? j + 1 : j + 2);
    // "case when closed then paid": names alone are somebody's question.
    const bool asks = when && (when.compares || when.constant() || when.left.call || j > i);
    const bool then = when && sql_.at(when.end).is(Word::kThen) && n <= when.end + 3;
    if (then && !asks) hit(kSuspected, i, n, "may be a piece of CASE WHEN");
    if (then && asks) return found("is a piece of CASE WHEN");
  }
  // ") like (": leaves one parenthesis and enters another.
  if (j > i && j < n && n <= j + 3 && sql_.at(n - 1).kind == Kind::kLeft) {
    bool operators = true;
    for (std::size_t k = j; k + 1 < n; ++k) {
      const Part part = sql_.at(k).part();
      operators =
          operators && (is_logic(sql_.at(k)) || part == Part::kCompare || part == Part::kUnary ||
                        part == Part::kUnion || part == Part::kSelect || sql_.at(k).kind == Kind::kCompare);
    }
    if (operators && n > j + 1)
      return found("closes a parenthesis and opens another with an operator between");
  }
  return false;
}

bool Finder::changes_data(Word word) noexcept {
  switch (word) {
    case Word::kDrop:
    case Word::kInsert:
    case Word::kUpdate:
    case Word::kDelete:
    case Word::kDeclare:
    case Word::kExec:
      return true;
    default:
      return false;
  }
}

void Finder::fragment(std::size_t i, bool whole) {
  const Token& first = sql_.at(i);
  const std::size_t n = complete_ ? sql_.size() : kNothing;
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
        const bool chooses = callee.is(Word::kIf) || callee.info->text == "iif";
        // if(1=1,name,price): a sheet's formula compares cells.
        const Condition asked = chooses && whole ? sql_.condition(open + 1) : Condition{};
        if (asked && asked.compares && asked.constant() && sql_.at(asked.end).kind == Kind::kComma &&
            sql_.behind_group(open) >= n) {
          return hit(kFragment, i, n, "chooses by a comparison of constants, as an expression of SQL would");
        }
        if (callee.is(Word::kIf) && argument && argument.constant &&
            sql_.at(argument.end).kind == Kind::kCompare && argument.end + 1 == n) {
          return hit(kFragment, i, n, "breaks off inside of a condition of SQL");
        }
      }
    }
    if (first.part() == Part::kConstant && spelled_function(sql_.spelled(i)) && i + 2 == n &&
        sql_.at(i + 1).kind == Kind::kLeft) {
      return hit(kFragment, i, n, "breaks off inside of a call of a function of SQL");
    }
    if (first.is(Word::kValues) && sql_.at(i + 1).kind == Kind::kLeft && i + 2 == n) {
      return hit(kFragment, i, n, "breaks off inside of a list of values of an INSERT");
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
  if (alone(i)) return;
  if (is_logic(first) && whole) {
    const std::size_t group = sql_.at(i + 1).kind == Kind::kLeft && first.kind == Kind::kLogic ? 1 : 0;
    const Condition grouped = sql_.condition(i + 2);
    if (group == 1 && sql_.at(sql_.operand(i + 2).end).kind == Kind::kCompare) {
      return hit(kFragment, i, grouped ? grouped.end : n,
                 "continues a condition with another in parentheses");
    }
    const Operand left = sql_.operand(i + 1);
    const std::size_t behind = left ? left.end + 1 : n;
    if (left && sql_.at(left.end).kind == Kind::kCompare &&
        (behind == n || (left.constant && sql_.at(behind).kind == Kind::kLeft))) {
      return hit(kFragment, i, n, "continues a query with a comparison that breaks off");
    }
  }
  const Condition c = sql_.condition(i);
  if (c && c.compares && c.end == n && c.constant() && c.left.first + 1 == c.left.end &&
      c.right.first + 1 == c.right.end) {
    const Token& left = sql_.at(c.left.first);
    const Token& right = sql_.at(c.right.first);
    const Token& op = sql_.at(c.left.end);
    // 1=1, 2<>3, 4 like 4: nobody asks for the outcome. 1<2 is an interval or a heart.
    const std::string_view sign = sql_.spelled(c.left.end);
    const bool equality = sign == "=" || sign == "!=" || sign == "<>" || sign == "<=>" ||
                          (op.kind == Kind::kWord && !op.is(Word::kIn) && !op.is(Word::kIs));
    const bool numbers = left.kind == Kind::kNumber && right.kind == Kind::kNumber && c.right.end == n;
    const bool texts = (op.kind == Kind::kCompare || op.is(Word::kLike)) && left.kind == Kind::kString &&
                       left.first == '\'' && is_text(right) && right.first == '\'';
    if ((numbers && equality) || texts)
      return hit(where_ ? kSuspected : kFragment, i, n, "compares constants, as a condition of SQL would");
  }
  if (whole && (is_logic(first) || first.part() == Part::kClause || first.part() == Part::kCompare)) {
    const bool signs = std::any_of(stream_.tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                   stream_.tokens.end(), [&](const Token& t) {
                                     return t.kind == Kind::kLeft || t.kind == Kind::kCompare || is_text(t) ||
                                            (t.kind == Kind::kNumber && first.part() == Part::kLogic);
                                   });
    if (signs) hit(kSuspected, i, n, "reads as the continuation of a query");
  }
}

}  // namespace wafd::detect::sqli
