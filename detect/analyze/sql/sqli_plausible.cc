// How far tokens are SQL at all, and what may stand next to what.
#include "detect/analyze/sql/sqli_grammar.h"
#include "detect/core/octets.h"

namespace wafd::detect::sqli {

bool Grammar::may_follow_condition(std::size_t i) const noexcept {
  if (at_end(i)) return true;
  const Token& t = at(i);
  switch (t.kind) {
    case Kind::kLineComment:
    case Kind::kOpenComment:
    case Kind::kRight:
    case Kind::kSemicolon:
    case Kind::kLogic:
    case Kind::kComma:
    case Kind::kCompare:
    case Kind::kArithmetic:
      return true;
    default:
      break;
  }
  const Part part = t.part();
  return part == Part::kLogic || part == Part::kUnion || part == Part::kClause || part == Part::kWhen ||
         part == Part::kEnd || part == Part::kDirection || part == Part::kCompare;
}

bool Grammar::expects_expression_before(std::size_t i) const noexcept {
  if (i == 0) return true;
  const Token& t = at(i - 1);
  switch (t.kind) {
    case Kind::kBreak:
    case Kind::kCompare:
    case Kind::kArithmetic:
    case Kind::kLogic:
    case Kind::kLeft:
    case Kind::kComma:
      return true;
    default:
      break;
  }
  const Part part = t.part();
  return part == Part::kLogic || part == Part::kUnary || part == Part::kCompare || part == Part::kSelect ||
         part == Part::kWhen || part == Part::kCase || part == Part::kClause || part == Part::kUnion;
}

bool Grammar::handles_conflict(std::size_t i) const noexcept {
  return (iequals(spelled(i + 1), "duplicate") && iequals(spelled(i + 2), "key") &&
          at(i + 3).is(Word::kUpdate)) ||
         (iequals(spelled(i + 1), "conflict") &&
          (at(i + 2).kind == Kind::kLeft || iequals(spelled(i + 2), "do")));
}

std::size_t Grammar::plausible_end(std::size_t i, bool after_operand) const {
  bool operand_seen = after_operand;
  bool in_query = false;  // inside of a SELECT: aliases are allowed
  bool in_statement =
      false;  // behind the first word of another statement, whose grammar is judged by statement()
  bool alias_used = false;
  std::size_t depth = 0;
  const std::size_t start = i;
  for (; i < tokens_.size(); ++i) {
    const Token& t = tokens_[i];
    if (is_comment(i)) return operand_seen || in_statement ? i + 1 : i;
    switch (t.kind) {
      case Kind::kNumber:
      case Kind::kVariable:
      case Kind::kString:
      case Kind::kOpenString: {
        const bool joins = operand_seen && i > start &&
                           (t.kind == Kind::kString || t.kind == Kind::kOpenString) &&
                           (at(i - 1).kind == Kind::kString || (at(i - 1).kind == Kind::kWord && in_query));
        if (operand_seen && !joins && !in_statement) return i;
        operand_seen = true;
        alias_used = false;
        continue;
      }
      case Kind::kCompare:
        if (!operand_seen) return i;
        operand_seen = false;
        continue;
      case Kind::kLogic:
        if (!operand_seen) return i;
        operand_seen = false;
        continue;
      case Kind::kArithmetic:
        if (operand_seen) {
          operand_seen = false;
        } else if (t.first == '*') {
          operand_seen = true;
        } else if (!is_sign(t)) {
          return i;
        }
        continue;
      case Kind::kLeft: {
        const bool call = i > start && at(i - 1).kind == Kind::kWord;
        if (operand_seen && !call && !in_statement) return i;
        operand_seen = false;
        ++depth;
        continue;
      }
      case Kind::kRight:
        if (!operand_seen && !(i > start && at(i - 1).kind == Kind::kLeft)) return i;
        operand_seen = true;
        if (depth > 0) --depth;
        continue;
      case Kind::kComma:
        if (!operand_seen) return i;
        operand_seen = false;
        alias_used = false;
        continue;
      case Kind::kDot:
        operand_seen = false;
        continue;
      case Kind::kSemicolon:
        operand_seen = false;
        in_query = false;
        in_statement = false;
        if (at(i + 1).kind == Kind::kWord && at(i + 1).part() == Part::kName &&
            statement(i + 1) == Shape::kNone)
          return i + 1;
        continue;
      case Kind::kWord:
        break;
      case Kind::kBreak:
      case Kind::kOther:
      default:
        return i;
    }
    switch (t.part()) {
      case Part::kName:
        if (operand_seen) {
          if (in_statement) continue;
          if (!in_query || alias_used || is_value(at(i - 1))) return i;
          alias_used = true;
          continue;
        }
        operand_seen = true;
        alias_used = false;
        continue;
      case Part::kConstant:
        if (operand_seen && !in_statement) return i;
        operand_seen = true;
        continue;
      case Part::kUnary:
        if (operand_seen && !t.is(Word::kNot)) return i;
        continue;
      case Part::kLogic:
      case Part::kCompare:
        if (!operand_seen) {
          if (at(i + 1).kind == Kind::kLeft) {
            operand_seen = true;  // mod(, isnull(
            continue;
          }
          // is like, sounds like, similar to: the second word of an operator
          if (i > start && at(i - 1).part() == Part::kCompare) continue;
          return i;
        }
        operand_seen = false;
        continue;
      case Part::kSelect:
        if (operand_seen && !in_statement) return i;
        in_query = true;
        operand_seen = false;
        continue;
      case Part::kUnion: {
        std::size_t next = i + 1;
        while (at(next).part() == Part::kUnary || at(next).kind == Kind::kLeft) ++next;
        if (!operand_seen) return i;
        if (!at_end(next) && !at(next).is(Word::kSelect) && !at(next).is(Word::kValues) &&
            !at(next).is(Word::kTable))
          return i;
        operand_seen = false;
        continue;
      }
      case Part::kClause:
        // What an INSERT does with a row that is there; judged by its own grammar no further.
        if (operand_seen && t.info->text == "on" && handles_conflict(i)) in_statement = true;
        if (!operand_seen && !in_statement && i > start) {
          // is distinct from
          if (t.is(Word::kFrom) && at(i - 1).is(Word::kDistinct)) continue;
          const Part before = at(i - 1).part();
          if (before != Part::kClause && before != Part::kName && at(i + 1).kind != Kind::kLeft) return i;
        }
        operand_seen = false;
        alias_used = false;
        continue;
      case Part::kDirection:
        if (!operand_seen) {
          operand_seen = true;
          continue;
        }
        continue;
      case Part::kCase:
        if (operand_seen) return i;
        continue;
      case Part::kWhen:
        operand_seen = false;
        continue;
      case Part::kEnd:
        operand_seen = true;
        continue;
      case Part::kStatement:
        if (in_statement) continue;
        if (at(i + 1).kind == Kind::kLeft) {
          operand_seen = true;  // replace(, insert(
          continue;
        }
        if (statement(i) == Shape::kNone) return i;
        in_statement = true;
        operand_seen = false;
        continue;
    }
  }
  return i;
}

}  // namespace wafd::detect::sqli
