#include "detect/analyze/sql/sqli_grammar.h"

#include <charconv>
#include <optional>

#include "detect/core/octets.h"

namespace wafd::detect::sqli {
namespace {

constexpr std::size_t kMaxChain = 64;  // terms of one operand, items of one list
constexpr std::size_t kMaxCaseTokens = 256;

// A word that may be the name of a function although it plays another part elsewhere: replace(, left(,
// values(.
bool may_be_called(const Token& t) noexcept {
  const Part part = t.part();
  return part == Part::kName || part == Part::kStatement || part == Part::kDirection ||
         part == Part::kConstant || t.is(Word::kValues) || t.info->text == "mod" || t.is(Word::kLike) ||
         t.info->text == "isnull";
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

Grammar::Grammar(std::string_view text, const TokenStream& stream)
    : text_(text), tokens_(stream.tokens), counts_(stream.tokens.get_allocator()) {
  end_.kind = Kind::kOther;
}

const Grammar::Counts& Grammar::counts(std::size_t i) const {
  if (counts_.empty()) {
    counts_.reserve(tokens_.size() + 1);
    counts_.emplace_back();
  }
  for (std::size_t next = counts_.size(); next <= i; ++next) {
    const Token& t = tokens_[next - 1];
    Counts sum = counts_.back();
    if (t.kind == Kind::kWord) {
      if (t.part() != Part::kConstant) ++sum.words;
      if (t.is(Word::kSelect)) ++sum.selects;
      const bool called = at(next).kind == Kind::kLeft || at(next).kind == Kind::kDot;
      if (called) ++sum.uses[static_cast<std::size_t>(t.info->use)];
    }
    counts_.push_back(sum);
  }
  return counts_[i];
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

Use Grammar::use_in(std::size_t begin, std::size_t end) const {
  const Counts& last = counts(end);
  const Counts& first = counts_[begin];
  for (std::size_t use = std::size(last.uses) - 1; use > 0; --use) {
    if (last.uses[use] != first.uses[use]) return static_cast<Use>(use);
  }
  return Use::kNone;
}

bool Grammar::select_in(std::size_t begin, std::size_t end) const {
  return counts(end).selects != counts_[begin].selects;
}

bool Grammar::word_in(std::size_t begin, std::size_t end) const {
  return counts(end).words != counts_[begin].words;
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
    if (at(j).is(Word::kDistinct) && at(j + 1).is(Word::kFrom)) j += 2;
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

}  // namespace wafd::detect::sqli
