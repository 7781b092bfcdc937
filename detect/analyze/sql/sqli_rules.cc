#include "detect/analyze/sql/sqli_rules.h"

#include <array>

#include "detect/analyze/sql/sqli_finder.h"

namespace wafd::detect::sqli {
namespace {

constexpr std::array kRules = {
    RuleSpec{"union-select", "UNION SELECT added to a query", Risk::kHigh, Sensitivity::kLow},
    RuleSpec{"constant-condition", "Condition with a known outcome added to a query", Risk::kHigh,
             Sensitivity::kLow},
    RuleSpec{"condition", "Condition added to a query", Risk::kHigh, Sensitivity::kBalanced},
    RuleSpec{"stacked-statement", "Second statement behind a query", Risk::kHigh, Sensitivity::kBalanced},
    RuleSpec{"time-delay", "Query made to wait", Risk::kHigh, Sensitivity::kLow},
    RuleSpec{"error-based", "Query made to fail with data in its error", Risk::kHigh, Sensitivity::kLow},
    RuleSpec{"out-of-band", "Query made to reach another machine", Risk::kHigh, Sensitivity::kLow},
    RuleSpec{"file-or-command", "File or command access from a query", Risk::kHigh, Sensitivity::kLow},
    RuleSpec{"subquery", "Subquery inside of a value", Risk::kHigh, Sensitivity::kBalanced},
    RuleSpec{"whole-statement", "Value that is a statement of SQL", Risk::kMedium, Sensitivity::kBalanced},
    RuleSpec{"system-object", "Access to the database's own tables or variables", Risk::kMedium,
             Sensitivity::kBalanced},
    RuleSpec{"commented-out", "String closed and the rest of the query commented out", Risk::kMedium,
             Sensitivity::kBalanced},
    RuleSpec{"query-clause", "Clause added to a query", Risk::kMedium, Sensitivity::kBalanced},
    RuleSpec{"obfuscation", "SQL keyword hidden in a version comment", Risk::kMedium, Sensitivity::kBalanced},
    RuleSpec{"suspected", "Looks like the beginning of an SQL injection", Risk::kLow, Sensitivity::kStrict},
    RuleSpec{"fragment", "Piece of a query", Risk::kMedium, Sensitivity::kBalanced},
};

}  // namespace

std::string to_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = is_lower(c) ? static_cast<char>(c - 32) : c;
  return out;
}

bool Finder::run() {
  if (sql_.size() == 0) return false;
  if (beginning_) find_anchor();
  for (std::size_t i = 0; i < sql_.size(); ++i) {
    const Token& t = sql_.at(i);
    if (t.kind == Kind::kWord && !t.quoted) {
      word(i);
    } else if (t.kind == Kind::kLeft && sql_.at(i + 1).is(Word::kSelect)) {
      subquery(i);
    } else if (t.kind == Kind::kSemicolon) {
      stacked(i);
    }
    if (i < plausible_ && is_logic(t)) logic(i);
    if (i < plausible_ && t.kind == Kind::kArithmetic) arithmetic(i);
  }
  if (beginning_ && quoted_) behind_quote();
  if (beginning_ && !quoted_) whole_value();
  if (stream_.version_comment) {
    hit_octets(kObfuscation, stream_.version_begin,
               std::min<std::size_t>(text_.size(), stream_.version_begin + 32),
               "hides a keyword of SQL in a comment that MySQL executes");
  }
  return plausible_ >= sql_.size();
}

void Finder::find_anchor() {
  if (quoted_) {
    start_ = 1;
    while (sql_.at(start_).kind == Kind::kRight) ++start_;
    plausible_ = sql_.plausible_end(start_, true);
    anchored_ = plausible_ > start_;
    return;
  }
  const Token& first = sql_.at(0);
  const bool continues = is_logic(first) || first.part() == Part::kUnion || first.kind == Kind::kRight ||
                         first.kind == Kind::kSemicolon || first.kind == Kind::kComma ||
                         first.part() == Part::kClause;
  plausible_ = sql_.plausible_end(0, continues);
  // Numbers, closed strings and parentheses are values that an application puts in front of its own
  // operators; a value that begins with a word may be a sentence.
  std::size_t i = 0;
  while (sql_.at(i).kind == Kind::kArithmetic && sql_.at(i).first == '-') ++i;
  while (sql_.at(i).kind == Kind::kLeft || sql_.at(i).kind == Kind::kRight) ++i;
  // 1  null  'a','b'): what an application puts in front of its own operators.
  numeric_ = sql_.at(i).kind == Kind::kNumber || sql_.at(i).part() == Part::kConstant || values_before() > 1;
  anchored_ = (numeric_ || (continues && !is_word_logic(first))) && plausible_ > 1;
}

void Finder::hit(RuleIndex rule, std::size_t first, std::size_t last, std::string reason) {
  const Token& a = sql_.at(first);
  const std::size_t end = last == 0 || last > sql_.size() ? sql_.size() : last;
  hit_octets(rule, a.begin, sql_.at(end - 1).end, std::move(reason));
}

void Finder::hit_octets(RuleIndex rule, std::size_t begin, std::size_t end, std::string reason) {
  // Binary data holds quotes and signs by accident; what needs only those is no evidence there.
  if (noisy_ && (rule == kCommentedOut || rule == kSuspected || rule == kQueryClause || rule == kCondition))
    return;
  // What reaches out of the tables counts in a field: whoever runs what he gets may run that as well.
  const bool reaches =
      rule == kTimeDelay || rule == kOutOfBand || rule == kFileOrCommand || rule == kSystemObject;
  if (script_ || (stored_ && !reaches)) rule = kSuspected;
  const bool known = std::any_of(hits_.begin(), hits_.end(), [&](const Hit& h) { return h.rule == rule; });
  if (known) return;
  Hit found;
  found.rule = rule;
  found.begin = static_cast<std::uint32_t>(begin);
  found.end = static_cast<std::uint32_t>(std::max(begin, end));
  found.reason = std::move(reason);
  hits_.push_back(std::move(found));
}

void Finder::word(std::size_t i) {
  const Token& t = sql_.at(i);
  if (t.info->use >= Use::kDelay || t.info->text == "exp") function(i);
  switch (t.info->word) {
    case Word::kUnion:
      return union_select(i);
    case Word::kWaitfor:
      if (sql_.statement(i) == Shape::kStrong)
        hit(kTimeDelay, i, i + 3, "makes the database wait with WAITFOR");
      return;
    case Word::kInto:
      if ((sql_.at(i + 1).is(Word::kOutfile) || sql_.at(i + 1).is(Word::kDumpfile)) &&
          is_text(sql_.at(i + 2))) {
        hit(kFileOrCommand, i, i + 3, "writes the result of a query into a file");
      } else if (in_reading(i) && i > start_ && sql_.at(i + 1).kind == Kind::kVariable &&
                 sql_.at(i + 1).first == '@') {
        hit(kQueryClause, i, i + 2, "puts the result of a query into a variable");
      }
      return;
    case Word::kLoad:
    case Word::kCopy:
      if (sql_.statement(i) == Shape::kStrong && (i == 0 || sql_.at(i - 1).kind == Kind::kSemicolon ||
                                                  !t.is(Word::kCopy) || sql_.at(i + 3).is(Word::kProgram))) {
        hit(kFileOrCommand, i, i + 4, "reads or writes a file, or runs a program, from SQL");
      }
      return;
    case Word::kExec:
      if (sql_.statement(i) == Shape::kStrong && sql_.at(i + 1).kind == Kind::kWord) {
        hit(kFileOrCommand, i, i + 2, "executes a stored procedure");
      }
      return;
    case Word::kProcedure:
      if (sql_.at(i + 1).is(Word::kAnalyse) && sql_.at(i + 2).kind == Kind::kLeft) {
        hit(kQueryClause, i, sql_.behind_group(i + 2), "adds PROCEDURE ANALYSE to a query");
      }
      return;
    case Word::kFrom:
      return system_object(i);
    case Word::kOrder:
    case Word::kGroup:
      if (sql_.at(i + 1).is(Word::kBy) && in_reading(i)) clause_by(i);
      return;
    case Word::kHaving:
      // "group by having count": how one asks for what stands there.
      if (in_reading(i) && i >= start_ && !(i > 0 && sql_.at(i - 1).is(Word::kBy))) {
        const Condition c = sql_.condition(i + 1);
        // "Having";"…" in a table of texts is none, "Having fun = living" is a sentence.
        const bool telling = quoted_ || numeric_ || c.constant() || c.use() != Use::kNone || c.subquery() ||
                             ends_with_comment();
        if (c && ((c.compares && telling) || (quoted_ && !is_text(sql_.at(i + 1)))))
          hit(kQueryClause, i, c.end, std::string(opening()) + ", then filters the query with HAVING");
      }
      return;
    default:
      break;
  }
  if (t.info->text == "on" && in_reading(i) && (quoted_ || numeric_) && sql_.handles_conflict(i))
    hit(kQueryClause, i, i + 4, std::string(opening()) + ", then says what an INSERT does with known rows");
  if (t.part() == Part::kUnion && in_reading(i) && sql_.at(i + 1).is(Word::kSelect) &&
      sql_.select(i + 1).shape != Shape::kNone) {
    hit(kUnionSelect, i, sql_.select(i + 1).end,
        std::string(opening()) + ", then combines the query with another SELECT");
  }
  if (t.part() == Part::kCase && sql_.at(i + 1).is(Word::kWhen)) case_expression(i);
  if (t.part() == Part::kCompare) compared_choice(i);
}

// rlike(if(1=1,1,0)): compares with what a condition chooses.
void Finder::compared_choice(std::size_t i) {
  const std::string_view name = sql_.at(i).info->text;
  const bool sql_alone = name == "rlike" || name == "regexp";
  if (sql_.at(i + 1).kind != Kind::kLeft || !(sql_alone || (in_reading(i) && (quoted_ || numeric_)))) return;
  const Token& choice = sql_.at(i + 2);
  if ((choice.part() == Part::kCase && sql_.at(i + 3).is(Word::kWhen)) ||
      (choice.is(Word::kIf) && sql_.at(i + 3).kind == Kind::kLeft)) {
    hit(kCondition, i, sql_.behind_group(i + 1), "compares with what a condition of its own chooses");
  }
}

void Finder::union_select(std::size_t i) {
  std::size_t j = i + 1;
  while (sql_.at(j).part() == Part::kUnary || sql_.at(j).kind == Kind::kLeft) ++j;
  const Token& next = sql_.at(j);
  if (next.is(Word::kValues) && in_reading(i)) {
    const std::size_t row = j + (iequals(sql_.spelled(j + 1), "row") ? 2 : 1);
    if (sql_.at(row).kind == Kind::kLeft)
      hit(kUnionSelect, i, sql_.behind_group(row), "adds rows of its own to a query with UNION");
    return;
  }
  if (next.is(Word::kTable) && in_reading(i) && (quoted_ || numeric_) &&
      sql_.at(j + 1).part() == Part::kName) {
    const Operand name = sql_.operand(j + 1);
    const Token& behind = sql_.at(name ? name.end : j + 1);
    if (name && !name.call &&
        (sql_.at_end(name.end) || sql_.is_comment(name.end) || behind.kind == Kind::kSemicolon ||
         behind.kind == Kind::kRight || behind.is(Word::kLimit) || behind.is(Word::kOrder) ||
         behind.is(Word::kInto) || behind.part() == Part::kUnion))
      hit(kUnionSelect, i, name.end, "adds a table of the database to a query with UNION");
    return;
  }
  if (!next.is(Word::kSelect)) return;
  // "Union Select" <mail@…>: a quoted name, whose end touches its last word.
  const Token& behind = sql_.at(j + 1);
  if (quoted_ && behind.kind == Kind::kOpenString && behind.begin == next.end && i == start_) {
    return hit(kSuspected, i, j + 1, "names UNION SELECT in quotes");
  }
  const SelectShape select = sql_.select(j);
  const std::string reason = std::string(in_reading(i) ? opening() : "contains a query") +
                             ", then adds rows of its own with UNION SELECT";
  if (select.shape == Shape::kStrong || (select.shape == Shape::kWeak && (in_reading(i) || select.from))) {
    hit(kUnionSelect, i, std::max(select.end, j + 1), reason);
  } else if (in_reading(i) && (quoted_ || numeric_ || (ends_with_comment() && i > 0))) {
    hit(kUnionSelect, i, j + 1, reason);
  }
}

void Finder::case_expression(std::size_t i) {
  const Condition c = sql_.condition_inside(i + 2);
  std::size_t then = c ? c.end : sql_.size();
  if (!c || !sql_.at(then).is(Word::kThen)) return;
  const bool telling = c.compares || c.use() != Use::kNone || c.subquery();
  const Operand result = sql_.operand(then + 1);
  if (!telling || !result) return;
  if (!sql_.at(result.end).is(Word::kElse) && sql_.at(result.end).part() != Part::kEnd &&
      !sql_.at(result.end).is(Word::kWhen))
    return;
  if (sql_.expects_expression_before(i))
    hit(kCondition, i, result.end + 1, "chooses a value by a condition with CASE WHEN");
}

void Finder::clause_by(std::size_t i) {
  const Token& key = sql_.at(i + 2);
  const bool numbered = key.kind == Kind::kNumber || key.kind == Kind::kLeft;
  const std::size_t behind = i + 3;
  const bool closed = sql_.is_comment(behind) || ends_with_comment();
  const std::string name = sql_.at(i).is(Word::kOrder) ? "ORDER BY" : "GROUP BY";
  if ((numbered && (quoted_ || sql_.at_end(behind) || closed || sql_.at(behind).kind == Kind::kComma)) ||
      (quoted_ && closed)) {
    hit(kQueryClause, i, behind, std::string(opening()) + ", then adds " + name + " to the query");
  }
}

void Finder::system_object(std::size_t i) {
  if (sql_.at(i + 1).kind != Kind::kWord) return;
  std::string_view name = sql_.spelled(i + 1);
  if (sql_.at(i + 1).quoted && name.size() > 2) name = name.substr(1, name.size() - 2);
  if (!is_telling_object(name)) return;
  hit(kSystemObject, i, i + 2, "reads the database's own tables");
}

std::span<const RuleSpec> rule_specs() noexcept { return kRules; }

bool begins_script(std::string_view text, const TokenStream& stream) {
  const Grammar sql(text, stream);
  std::size_t first = 0;
  while (sql.is_comment(first)) ++first;
  return sql.statement(first) != Shape::kNone;
}

bool is_script(std::string_view text, const TokenStream& stream) {
  const Grammar sql(text, stream);
  if (begins_script(text, stream)) return true;
  std::size_t statements = 0;
  for (std::size_t i = 0; i < sql.size() && statements < 2; ++i) {
    if (sql.at(i).kind == Kind::kSemicolon && sql.statement(i + 1) == Shape::kStrong) ++statements;
  }
  return statements >= 2;
}

bool find_structures(const Reading& reading, const TokenStream& stream, std::vector<Hit>& hits) {
  return Finder(reading, stream, hits).run();
}

}  // namespace wafd::detect::sqli
