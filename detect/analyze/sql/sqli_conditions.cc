// Conditions that are added to a query with AND, OR or their signs.
#include "detect/analyze/sql/sqli_finder.h"

namespace wafd::detect::sqli {

void Finder::logic(std::size_t i) {
  const Condition c = sql_.condition_inside(i + 1);
  const std::string op = to_upper(sql_.spelled(i));
  if (!c) {
    if (quoted_ && anchored_ && (sql_.at_end(i + 1) || sql_.is_comment(i + 1)))
      hit(kSuspected, i, i + 1, "closes a string, then continues with " + op);
    return;
  }
  const bool follows = sql_.may_follow_condition(c.end);
  const bool closed = ends_with_comment();
  const bool begins = i == 0;  // the application's own value stands before it
  if (c.use() == Use::kDelay && c.left.call && c.left.use == Use::kDelay && anchored_) {
    hit(kTimeDelay, i, c.end, std::string(opening()) + ", then waits in a condition");
  }
  if (c.compares && c.constant() && follows) {
    const char* outcome = c.truth == Truth::kTrue    ? "that are always true"
                          : c.truth == Truth::kFalse ? "that are never true"
                                                     : "whose outcome is known beforehand";
    const std::string reason =
        std::string(opening()) + ", then compares constants " + outcome + " (" + op + ")";
    if (quoted_ ? anchored_ : simple_before(i)) {
      hit(kConstantCondition, i, c.end, reason);
    } else if (!quoted_ && word_before(i) && equal_sign(i, c.end)) {
      hit(kCondition, i, c.end, reason);
    } else {
      hit(kSuspected, i, c.end, reason);
    }
    return;
  }
  // "(select committee)" is no query.
  const bool no_query = !c.compares && sql_.at(i + 1).kind == Kind::kLeft &&
                        sql_.at(i + 2).is(Word::kSelect) && sql_.select(i + 2).shape == Shape::kNone;
  if (no_query && !quoted_) return hit(kSuspected, i, c.end, "names SELECT in parentheses");
  if (c.subquery() || (c.compares && c.use() != Use::kNone && (quoted_ || numeric_ || i == 0))) {
    if (follows)
      hit(kCondition, i, c.end, std::string(opening()) + ", then tests data of the database (" + op + ")");
    return;
  }
  if (!c.compares && quoted_ && anchored_ && sql_.at(c.end).kind == Kind::kCompare &&
      sql_.at_end(c.end + 1)) {
    hit(kCondition, i, c.end + 1,
        "closes a string, then begins a comparison that the query's own text completes (" + op + ")");
    return;
  }
  if (c.compares) {
    const bool opened = begins && sql_.at(c.right.first).kind == Kind::kOpenString && c.end == sql_.size();
    // 1 or name like '%a%'
    const Token& pattern = sql_.at(c.right.first);
    const bool wild = numeric_ && follows && sql_.at(c.left.end).is(Word::kLike) && is_text(pattern) &&
                      sql_.spelled(c.right.first).find('%') != std::string_view::npos;
    const bool certain = (anchored_ && follows && (quoted_ || closed)) || opened || wild;
    hit(certain ? kCondition : kSuspected, i, c.end,
        std::string(opening()) + ", then adds a comparison (" + op + ")");
    return;
  }
  const Token& callee = sql_.at(c.left.first);
  const bool calls = quoted_
                         ? c.use() != Use::kNone || callee.is(Word::kLike)
                         : numeric_ && c.left.call && callee.kind == Kind::kWord && callee.info->distinctive;
  if (calls && anchored_ && follows) {
    return hit(kCondition, i, c.end,
               std::string(opening()) + ", then adds a function of SQL as a condition (" + op + ")");
  }
  // A single value: or 1, or 'x, or true.
  if (!c.constant() || !follows) {
    if (quoted_ && anchored_ && closed)
      hit(kSuspected, i, c.end, "closes a string, then continues with " + op);
    return;
  }
  const bool word_op = sql_.at(i).kind == Kind::kWord;
  // the word "and" or another: quotes around one word of a sentence.
  const std::size_t quote = sql_.at(0).begin;
  const bool named = quoted_ && quote > 0 && (is_space(text_[quote - 1]) || text_[quote - 1] == '+') &&
                     sql_.at(i).begin == quote + 1 && sql_.at(i + 1).begin == sql_.at(i).end;
  // The query's own quote ends a string that began with the same.
  const bool quoted_value = quoted_ && !named && sql_.at(c.left.first).kind == Kind::kOpenString &&
                            sql_.at(c.left.first).first == text_[quote] && c.end == sql_.size();
  const bool keyword = sql_.at(c.left.first).part() == Part::kConstant;
  // 'or(1)or': then the string that the query's own quote ends.
  if (quoted_ && anchored_ && is_logic(sql_.at(c.end)) && sql_.at(c.left.first).kind == Kind::kLeft &&
      sql_.at(sql_.size() - 1).kind == Kind::kOpenString) {
    return hit(kCondition, i, c.end,
               "closes a string, then adds a condition that is a constant (" + op + ") and opens another");
  }
  if ((anchored_ || begins) &&
      (closed || (word_op && quoted_value && i == start_) || (keyword && (quoted_ || numeric_)))) {
    hit(kCondition, i, c.end,
        std::string(opening()) + ", then adds a condition that is a constant (" + op + ")");
  } else if (anchored_) {
    hit(kSuspected, i, c.end, std::string(opening()) + ", then adds a constant (" + op + ")");
  }
}

std::size_t Finder::values_before() const {
  std::size_t end = 0;
  while (sql_.at(end).kind == Kind::kString && sql_.at(end + 1).kind == Kind::kComma) end += 2;
  if (end == 0 || sql_.at(end).kind != Kind::kString || sql_.at(end + 1).kind != Kind::kRight) return 0;
  return end + 2;
}

bool Finder::simple_before(std::size_t i) const {
  if (i == 0) return true;
  std::size_t end = 0;
  for (;;) {
    const Operand value = sql_.operand(end);
    if (!value || !value.constant) return false;
    end = value.end;
    if (sql_.at(end).kind != Kind::kComma) break;
    ++end;
  }
  while (sql_.at(end).kind == Kind::kRight) ++end;
  return end == i;
}

bool Finder::equal_sign(std::size_t from, std::size_t to) const noexcept {
  for (std::size_t j = from; j < to; ++j) {
    if (sql_.at(j).kind == Kind::kCompare && sql_.at(j).first == '=') return true;
  }
  return false;
}

}  // namespace wafd::detect::sqli
