#include "detect/analyze/sqli_grammar.h"

#include <charconv>
#include <optional>

#include "detect/core/octets.h"

namespace wafd::detect::sqli {
namespace {

constexpr std::size_t kMaxChain = 64;  // terms of one operand, items of one list
constexpr std::size_t kMaxCaseTokens = 256;

bool is_value(const Token& t) noexcept {
  return t.kind == Kind::kNumber || t.kind == Kind::kString || t.kind == Kind::kOpenString ||
         t.kind == Kind::kVariable;
}

// A word that may be the name of a function although it plays another part elsewhere: replace(, left(,
// values(.
bool may_be_called(const Token& t) noexcept {
  const Part part = t.part();
  return part == Part::kName || part == Part::kStatement || part == Part::kDirection ||
         part == Part::kConstant || t.is(Word::kValues) || t.info->text == "mod" || t.is(Word::kLike) ||
         t.info->text == "isnull";
}

bool is_sign(const Token& t) noexcept {
  return t.kind == Kind::kArithmetic &&
         (t.first == '+' || t.first == '-' || t.first == '~' || t.first == '!');
}

std::optional<double> number(std::string_view text) noexcept {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Without its quotes, whichever of them are there.
std::string_view unquoted(std::string_view text) noexcept {
  if (!text.empty() && (text.front() == '\'' || text.front() == '"')) text.remove_prefix(1);
  if (!text.empty() && (text.back() == '\'' || text.back() == '"')) text.remove_suffix(1);
  return text;
}

}  // namespace

Grammar::Grammar(std::string_view text, const TokenStream& stream) : text_(text), tokens_(stream.tokens) {
  end_.kind = Kind::kOther;
  const std::size_t n = tokens_.size();
  counts_.resize(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const Token& t = tokens_[i];
    Counts counts = counts_[i];
    if (t.kind == Kind::kWord) {
      if (t.part() != Part::kConstant) ++counts.words;
      if (t.is(Word::kSelect)) ++counts.selects;
      const bool called =
          i + 1 < n && (tokens_[i + 1].kind == Kind::kLeft || tokens_[i + 1].kind == Kind::kDot);
      if (called) ++counts.uses[static_cast<std::size_t>(t.info->use)];
    }
    counts_[i + 1] = counts;
  }
}

std::string_view Grammar::spelled(std::size_t i) const noexcept {
  return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                            : std::string_view{};
}

bool Grammar::is_comment(std::size_t i) const noexcept {
  return at(i).kind == Kind::kLineComment || at(i).kind == Kind::kOpenComment;
}

std::size_t Grammar::behind_group(std::size_t i) const noexcept {
  const std::int32_t match = at(i).match;
  return match < 0 ? tokens_.size() : static_cast<std::size_t>(match) + 1;
}

Use Grammar::use_in(std::size_t begin, std::size_t end) const noexcept {
  for (std::size_t use = std::size(Counts{}.uses) - 1; use > 0; --use) {
    if (counts_[end].uses[use] != counts_[begin].uses[use]) return static_cast<Use>(use);
  }
  return Use::kNone;
}

bool Grammar::select_in(std::size_t begin, std::size_t end) const noexcept {
  return counts_[end].selects != counts_[begin].selects;
}

bool Grammar::word_in(std::size_t begin, std::size_t end) const noexcept {
  return counts_[end].words != counts_[begin].words;
}

// a.b.c or master..proc; `use` gets what its words are good for. Returns the token behind.
std::size_t Grammar::path_end(std::size_t i, Use& use) const noexcept {
  const auto note = [&](std::size_t j) {
    if (at(j).kind == Kind::kWord && at(j).info->use > use) use = at(j).info->use;
  };
  note(i);
  ++i;
  while (at(i).kind == Kind::kDot) {
    std::size_t j = i + 1;
    if (at(j).kind == Kind::kDot) ++j;
    if (at(j).kind != Kind::kWord && !(at(j).kind == Kind::kArithmetic && at(j).first == '*')) break;
    note(j);
    i = j + 1;
  }
  return i;
}

// One term of an operand; false if none begins at `i`, which is then where it was.
bool Grammar::term(std::size_t& i, Operand& operand) const {
  std::size_t j = i;
  while (is_sign(at(j)) || at(j).part() == Part::kUnary) ++j;
  if (operand.first == kNothing) operand.first = j;
  const Token& t = at(j);
  if (at_end(j)) return false;
  if (is_value(t)) {
    if (t.kind == Kind::kVariable)
      operand.variable = true, operand.constant = operand.constant && t.first == '@';
    ++j;
    while (t.kind == Kind::kString && (at(j).kind == Kind::kString || at(j).kind == Kind::kOpenString)) ++j;
  } else if (t.kind == Kind::kLeft) {
    const std::size_t behind = behind_group(j);
    operand.subquery = operand.subquery || select_in(j, behind);
    if (word_in(j, behind)) operand.constant = false;
    if (const Use use = use_in(j, behind); use > operand.use) operand.use = use;
    j = behind;
  } else if (t.kind == Kind::kWord) {
    if (t.part() == Part::kCase) {
      operand.constant = false;
      std::size_t depth = 0;
      const std::size_t begin = j;
      const std::size_t limit = std::min(tokens_.size(), j + kMaxCaseTokens);
      for (; j < limit; ++j) {
        if (at(j).part() == Part::kCase)
          ++depth;
        else if (at(j).part() == Part::kEnd && --depth == 0)
          break;
      }
      if (j >= limit) return false;
      ++j;
      operand.subquery = operand.subquery || select_in(begin, j);
      if (const Use use = use_in(begin, j); use > operand.use) operand.use = use;
    } else if (t.part() == Part::kConstant && at(j + 1).kind != Kind::kLeft) {
      ++j;
    } else if (t.part() == Part::kName || (may_be_called(t) && at(j + 1).kind == Kind::kLeft)) {
      Use use = Use::kNone;
      const std::size_t behind = path_end(j, use);
      operand.constant = false;
      if (at(behind).kind == Kind::kLeft) {
        j = behind_group(behind);
        operand.call = true;
        operand.subquery = operand.subquery || select_in(behind, j);
        if (const Use inner = use_in(behind, j); inner > use) use = inner;
        if (use > operand.use) operand.use = use;
      } else if (at(behind).kind == Kind::kString) {
        j = behind + 1;  // date '2020-01-01'
      } else {
        j = behind;
      }
    } else {
      return false;
    }
  } else {
    return false;
  }
  while (at(j).kind == Kind::kWord && at(j).info->text == "collate" && at(j + 1).kind == Kind::kWord) j += 2;
  i = j;
  return true;
}

Operand Grammar::operand(std::size_t i) const {
  Operand found;
  found.first = kNothing;
  if (!term(i, found)) return {};
  found.text = at(found.first).kind == Kind::kString || at(found.first).kind == Kind::kOpenString;
  for (std::size_t terms = 1; terms < kMaxChain; ++terms) {
    const bool arithmetic =
        at(i).kind == Kind::kArithmetic ||
        (at(i).info != nullptr && (at(i).info->text == "div" || at(i).info->text == "mod"));
    if (!arithmetic) break;
    std::size_t next = i + 1;
    if (!term(next, found)) break;
    i = next;
  }
  found.end = i;
  return found;
}

Truth Grammar::compare(const Operand& a, const Token& op, const Operand& b) const noexcept {
  if (!a.constant || !b.constant || a.first + 1 != a.end || b.first + 1 != b.end) return Truth::kUnknown;
  const std::string_view left = unquoted(spelled(a.first));
  const std::string_view right = unquoted(spelled(b.first));
  const std::string_view sign = text_.substr(op.begin, op.end - op.begin);
  const auto x = number(left);
  const auto y = number(right);
  const auto truth = [](bool holds) { return holds ? Truth::kTrue : Truth::kFalse; };
  const int order = x && y ? (*x < *y ? -1 : *x > *y ? 1 : 0) : left.compare(right);
  if (sign == "=" || sign == "<=>" || op.is(Word::kLike)) return truth(order == 0);
  if (sign == "<>" || sign == "!=") return truth(order != 0);
  if (!x || !y) return Truth::kUnknown;
  if (sign == "<") return truth(order < 0);
  if (sign == ">") return truth(order > 0);
  if (sign == "<=") return truth(order <= 0);
  if (sign == ">=") return truth(order >= 0);
  return Truth::kUnknown;
}

Condition Grammar::condition(std::size_t i) const {
  Condition found;
  found.left = operand(i);
  if (!found.left) return {};
  std::size_t j = found.left.end;
  found.end = j;
  if (at(j).is(Word::kNot)) ++j;
  const Token& op = at(j);
  if (op.kind == Kind::kCompare) {
    ++j;
  } else if (op.part() == Part::kCompare) {
    ++j;
    while (at(j).is(Word::kNot) || at(j).is(Word::kLike) || at(j).is(Word::kBy) || spelled(j) == "to") ++j;
  } else {
    return found;
  }
  found.right = operand(j);
  if (!found.right) return found;
  found.compares = true;
  found.end = found.right.end;
  found.truth = compare(found.left, op, found.right);
  if (op.is(Word::kBetween) && spelled(found.end).size() == 3 && at(found.end).part() == Part::kLogic) {
    if (const Operand upper = operand(found.end + 1)) found.end = upper.end;
  }
  for (std::size_t more = 0; more < kMaxChain && at(found.end).kind == Kind::kCompare; ++more) {
    const Operand next = operand(found.end + 1);
    if (!next) break;
    found.end = next.end;
  }
  return found;
}

Condition Grammar::condition_inside(std::size_t i) const {
  Condition outer = condition(i);
  if (outer && outer.compares) return outer;
  std::size_t j = i;
  while (at(j).kind == Kind::kLeft || at(j).is(Word::kNot) || is_sign(at(j))) ++j;
  if (j == i || at(j - 1).kind != Kind::kLeft) return outer;
  Condition inner = condition(j);
  if (!inner || !inner.compares) return outer;
  if (outer && outer.end < tokens_.size()) inner.end = outer.end;
  return inner;
}

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
        if (!operand_seen && !in_statement && i > start) {
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
