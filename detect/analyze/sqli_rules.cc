#include "detect/analyze/sqli_rules.h"

#include <algorithm>
#include <array>

#include "detect/core/octets.h"

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

bool is_text(const Token& t) noexcept { return t.kind == Kind::kString || t.kind == Kind::kOpenString; }
bool is_logic(const Token& t) noexcept { return t.kind == Kind::kLogic || t.part() == Part::kLogic; }

class Finder {
 public:
  Finder(std::string_view text, Quote quote, bool beginning, const TokenStream& stream,
         std::vector<Hit>& hits)
      : text_(text),
        quoted_(quote != Quote::kNone),
        beginning_(beginning),
        stream_(stream),
        sql_(text, stream),
        hits_(hits) {
    noisy_ = std::any_of(text.begin(), text.end(),
                         [](char c) { return (octet(c) < 0x20 && c != '\0' && !is_space(c)) || c == 0x7F; });
  }

  bool run() {
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

 private:
  // --- where the reading holds
  // -----------------------------------------------------------------------------------

  void find_anchor() {
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
    if (sql_.at(i).kind == Kind::kNumber || sql_.at(i).part() == Part::kConstant) {
      numeric_ = true;
    }
    anchored_ = (numeric_ || (continues && !is_word_logic(first))) && plausible_ > 1;
  }

  static bool is_word_logic(const Token& t) noexcept { return t.part() == Part::kLogic; }

  bool in_reading(std::size_t i) const noexcept { return anchored_ && i < plausible_; }
  bool ends_with_comment() const noexcept { return plausible_ > 0 && sql_.is_comment(plausible_ - 1); }
  const char* opening() const noexcept { return quoted_ ? "closes a string" : "continues a value"; }

  void hit(RuleIndex rule, std::size_t first, std::size_t last, std::string reason) {
    const Token& a = sql_.at(first);
    const std::size_t end = last == 0 || last > sql_.size() ? sql_.size() : last;
    hit_octets(rule, a.begin, sql_.at(end - 1).end, std::move(reason));
  }

  void hit_octets(RuleIndex rule, std::size_t begin, std::size_t end, std::string reason) {
    // Binary data holds quotes and signs by accident; what needs only those is no evidence there.
    if (noisy_ && (rule == kCommentedOut || rule == kSuspected || rule == kQueryClause || rule == kCondition))
      return;
    const bool known = std::any_of(hits_.begin(), hits_.end(), [&](const Hit& h) { return h.rule == rule; });
    if (known) return;
    Hit found;
    found.rule = rule;
    found.begin = static_cast<std::uint32_t>(begin);
    found.end = static_cast<std::uint32_t>(std::max(begin, end));
    found.reason = std::move(reason);
    hits_.push_back(std::move(found));
  }

  // --- words
  // ---------------------------------------------------------------------------------------------------

  void word(std::size_t i) {
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
        }
        return;
      case Word::kLoad:
      case Word::kCopy:
        if (sql_.statement(i) == Shape::kStrong &&
            (i == 0 || sql_.at(i - 1).kind == Kind::kSemicolon || !t.is(Word::kCopy) ||
             sql_.at(i + 3).is(Word::kProgram))) {
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
        if (in_reading(i) && i >= start_) {
          const Condition c = sql_.condition(i + 1);
          if (c && (c.compares || quoted_))
            hit(kQueryClause, i, c.end, std::string(opening()) + ", then filters the query with HAVING");
        }
        return;
      default:
        break;
    }
    if (t.part() == Part::kUnion && in_reading(i) && sql_.at(i + 1).is(Word::kSelect) &&
        sql_.select(i + 1).shape != Shape::kNone) {
      hit(kUnionSelect, i, sql_.select(i + 1).end,
          std::string(opening()) + ", then combines the query with another SELECT");
    }
    if (t.part() == Part::kCase && sql_.at(i + 1).is(Word::kWhen)) case_expression(i);
  }

  void union_select(std::size_t i) {
    std::size_t j = i + 1;
    while (sql_.at(j).part() == Part::kUnary || sql_.at(j).kind == Kind::kLeft) ++j;
    const Token& next = sql_.at(j);
    if (next.is(Word::kValues) && sql_.at(j + 1).kind == Kind::kLeft && in_reading(i)) {
      hit(kUnionSelect, i, sql_.behind_group(j + 1), "adds rows of its own to a query with UNION");
      return;
    }
    if (!next.is(Word::kSelect)) return;
    const SelectShape select = sql_.select(j);
    const std::string reason = std::string(in_reading(i) ? opening() : "contains a query") +
                               ", then adds rows of its own with UNION SELECT";
    if (select.shape == Shape::kStrong || (select.shape == Shape::kWeak && (in_reading(i) || select.from))) {
      hit(kUnionSelect, i, std::max(select.end, j + 1), reason);
    } else if (in_reading(i) && (quoted_ || numeric_ || ends_with_comment())) {
      hit(kUnionSelect, i, j + 1, reason);
    }
  }

  void case_expression(std::size_t i) {
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

  void clause_by(std::size_t i) {
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

  void system_object(std::size_t i) {
    if (sql_.at(i + 1).kind != Kind::kWord) return;
    std::string_view name = sql_.spelled(i + 1);
    if (sql_.at(i + 1).quoted && name.size() > 2) name = name.substr(1, name.size() - 2);
    // "from MySQL.", "from dual" are words of prose without an underscore.
    if (!is_system_object(name) ||
        (name.find_first_of("_$") == std::string_view::npos && !istarts_with(name, "sys")))
      return;
    hit(kSystemObject, i, i + 2, "reads the database's own tables");
  }

  // --- functions
  // -------------------------------------------------------------------------------------------------

  // `i` is a name whose call is of use to an attacker.
  void function(std::size_t i) {
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

  // Names that other languages know too (sleep, benchmark, polygon): only where SQL would call them.
  bool position_of_a_call(std::size_t i, std::size_t open) const {
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
      case Kind::kLogic:
        return quoted_ ? in_reading(i) : true;
      case Kind::kLeft:
      case Kind::kComma:
        return in_reading(i) || saw_sql_before(i);
      default:
        break;
    }
    const Part part = before.part();
    return part == Part::kLogic || part == Part::kSelect || part == Part::kWhen || part == Part::kCompare ||
           (part == Part::kUnary && before.is(Word::kNot)) ||
           (part == Part::kClause && !before.is(Word::kFor) && in_reading(i)) ||
           (part == Part::kStatement && sql_.statement(i - 1) != Shape::kNone);
  }

  bool saw_sql_before(std::size_t i) const noexcept {
    const std::size_t from = i > 16 ? i - 16 : 0;
    for (std::size_t j = from; j < i; ++j) {
      const Token& t = sql_.at(j);
      if (t.part() == Part::kSelect || t.is(Word::kIf) || t.part() == Part::kCase) return true;
    }
    return false;
  }

  // --- subqueries and statements
  // ---------------------------------------------------------------------------------

  void subquery(std::size_t i) {
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

  void stacked(std::size_t i) {
    const std::size_t first = i + 1;
    Shape shape = sql_.statement(first);
    if (shape == Shape::kNone && quoted_ && in_reading(i) && sql_.at(first).is(Word::kSelect))
      shape = Shape::kWeak;
    if (shape == Shape::kNone) return;
    if (shape == Shape::kStrong || (quoted_ && in_reading(i))) {
      if (in_reading(i) || shape == Shape::kStrong) {
        hit(kStackedStatement, i, std::min(first + 6, sql_.size()),
            std::string(in_reading(i) ? opening() : "ends a statement") +
                ", then begins another: " + to_upper(sql_.spelled(first)));
        return;
      }
    }
    hit(kSuspected, i, first + 1, "could begin a second statement of SQL");
  }

  static std::string to_upper(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = is_lower(c) ? static_cast<char>(c - 32) : c;
    return out;
  }

  // --- conditions
  // ------------------------------------------------------------------------------------------------

  // `i` is AND, OR, || or the like, inside of what reads as SQL.
  void logic(std::size_t i) {
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
      const bool certain = (anchored_ && follows && (quoted_ || closed)) || opened;
      hit(certain ? kCondition : kSuspected, i, c.end,
          std::string(opening()) + ", then adds a comparison (" + op + ")");
      return;
    }
    // A single value: or 1, or 'x, or true.
    if (!c.constant() || !follows) {
      if (quoted_ && anchored_ && closed)
        hit(kSuspected, i, c.end, "closes a string, then continues with " + op);
      return;
    }
    const bool word_op = sql_.at(i).kind == Kind::kWord;
    const bool quoted_value =
        quoted_ && sql_.at(c.left.first).kind == Kind::kOpenString && c.end == sql_.size();
    const bool keyword = sql_.at(c.left.first).part() == Part::kConstant;
    if ((anchored_ || begins) &&
        (closed || (word_op && quoted_value && i == start_) || (keyword && (quoted_ || numeric_)))) {
      hit(kCondition, i, c.end,
          std::string(opening()) + ", then adds a condition that is a constant (" + op + ")");
    } else if (anchored_) {
      hit(kSuspected, i, c.end, std::string(opening()) + ", then adds a constant (" + op + ")");
    }
  }

  // Between the start of a bare value and the operator `i` stands one plain value: 1, (1), '1', -1, null; or
  // nothing.
  bool simple_before(std::size_t i) const {
    if (i == 0) return true;
    const Operand before = sql_.operand(0);
    std::size_t end = before ? before.end : 0;
    while (sql_.at(end).kind == Kind::kRight) ++end;
    return before && before.constant && end == i;
  }

  bool word_before(std::size_t i) const noexcept { return i == 1 && sql_.at(0).kind == Kind::kWord; }

  bool equal_sign(std::size_t from, std::size_t to) const noexcept {
    for (std::size_t j = from; j < to; ++j) {
      if (sql_.at(j).kind == Kind::kCompare && sql_.at(j).first == '=') return true;
    }
    return false;
  }

  // --- what stands directly behind the quote that ends the string
  // ----------------------------------------------------

  void behind_quote() {
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
      const bool alone = !reopened && (rest.find(' ') == std::string_view::npos ||
                                       before.find(' ') == std::string_view::npos);
      hit(alone ? kCommentedOut : kSuspected, 0, i + 1,
          "closes a string, then comments out the rest of the query");
      return;
    }
    const bool whole = plausible_ >= sql_.size();
    if (next.is(Word::kAs) && sql_.at(start_ + 1).kind == Kind::kWord &&
        sql_.at(start_ + 2).is(Word::kFrom)) {
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
      hit(kCommentedOut, 0, plausible_,
          "closes a string, adds values and comments out the rest of the query");
      return;
    }
    if (ends_with_comment() && whole) {
      hit(kCommentedOut, 0, plausible_, "closes a string, continues the query and comments out the rest");
    }
  }

  // --- values that are SQL from the beginning to the end
  // -------------------------------------------------------------

  void whole_value() {
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

  // Values that are a piece of a query from beginning to end. `i` is the first token behind parentheses.
  void fragment(std::size_t i, bool whole) {
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

  std::string_view text_;
  bool quoted_;
  bool beginning_;
  const TokenStream& stream_;
  Grammar sql_;
  std::vector<Hit>& hits_;
  std::size_t start_ = 0;      // first token behind the quote and its parentheses
  std::size_t plausible_ = 0;  // the reading holds up to here
  bool anchored_ = false;      // the text begins as the continuation of a query would
  bool numeric_ = false;       // it begins with a number
  bool noisy_ = false;         // holds controls that no text has
};

}  // namespace

std::span<const RuleSpec> rule_specs() noexcept { return kRules; }

bool find_structures(std::string_view text, Quote quote, bool beginning, const TokenStream& stream,
                     std::vector<Hit>& hits) {
  return Finder(text, quote, beginning, stream, hits).run();
}

}  // namespace wafd::detect::sqli
