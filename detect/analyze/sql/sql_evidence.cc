// How sure phrases make it that the text is SQL: conditions, closed strings, clauses.
#include "detect/analyze/sql/sql_evidence.h"

#include <algorithm>
#include <optional>

#include "detect/analyze/sql/sql_reader.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"

namespace wafd::detect::sql {
namespace {

bool is_letter_byte(char c) noexcept { return is_alpha(c) || byte(c) >= 0x80; }

// Names, numbers and patterns do not end with these; passwords do.
bool ends_like_a_secret(std::string_view text) noexcept {
  return !text.empty() && std::string_view("!$^&~#").find(text.back()) != std::string_view::npos;
}

// How much a term tells: 6 says that it is there for nobody but a database, 0 that it says nothing.
int weight_of(Facts facts, bool constant) noexcept {
  if (has(facts, kTruth)) return 6;
  if (has(facts, kHoldsQuery | kEffect | kInfo)) return 5;
  if (has(facts, kCompares | kComparedInside)) return has(facts, kTelling | kKnownCall) ? 4 : 3;
  if (has(facts, kTelling)) return 4;
  if (has(facts, kKnownCall)) return 3;
  if (has(facts, kBoolean)) return 2;
  return constant ? 1 : 0;
}

}  // namespace

bool has_odd_case(std::string_view word) noexcept {
  std::size_t changes = 0;
  for (std::size_t i = 2; i < word.size(); ++i) changes += is_upper(word[i]) != is_upper(word[i - 1]) ? 1 : 0;
  return changes >= 2;
}

void SqlReader::add(SqlEvidence kind, Certainty certainty, std::uint32_t begin, std::uint32_t end,
                    std::string_view detail) {
  out_.add(kind, certainty, begin, std::max(begin, end), detail);
}

void SqlReader::weigh_term(const Term& term, Facts nested) {
  ++phrase_.terms;
  phrase_.facts |= term.facts;
  if (phrase_.terms == 1) {
    phrase_.lead = term.facts;
    phrase_.lead_nested = nested;
    phrase_.lead_constant = term.constant;
    phrase_.lead_operands = term.operands;
  }
  if (phrase_.clause != kNowhere && link_ == Link::kComma) {
    phrase_.clause_facts |= term.facts;
    if (!has(nested, kWeighty)) return;
  }
  // Without a link to the query only facts inside parentheses count: people compare in plain values, too.
  const bool joined = link_ == Link::kLogic || link_ == Link::kLogicSign || link_ == Link::kWhere;
  phrase_.assigns =
      phrase_.assigns || (link_ == Link::kComma && has(term.facts, kCompares) && has(term.facts, kNames));
  const int weight = weight_of(joined ? term.facts : nested, term.constant);
  // Alone: 1 rlike(…), but not current_user.
  const bool telling = has(nested, kCompares) && has(nested, kTelling) && has(nested, kSqlCompare);
  if (!joined && weight < 5 && !telling) return;
  if (!joined && term.operands == 1 && !has(nested, kSigned)) return;
  if (phrase_.best.begin != kNowhere && weight <= phrase_.best.weight) {
    phrase_.best.end = token_.begin;
    return;
  }
  Condition& best = phrase_.best;
  best.facts = term.facts;
  best.constant = term.constant;
  best.link = link_;
  best.begin =
      joined || link_ == Link::kComma ? link_begin_ : (term.begin == kNowhere ? phrase_.begin : term.begin);
  const bool last = token_.kind == TokenKind::kOpenString || ahead_.kind == TokenKind::kEnd;
  best.end = token_.kind == TokenKind::kComment ? before_.end : last ? token_.end : token_.begin;
  best.weight = weight;
}

void SqlReader::end_phrase(Tail tail, std::uint32_t end) {
  if (phrase_.best.begin != kNowhere) judge_condition(tail);
  // Statements that a comment ends: it hides what the application adds.
  if (hiding_ && script_ != kNowhere && whole_ && tail == Tail::kComment)
    add(SqlEvidence::kStatement, Certainty::kCertain, script_, end, "SQL");
  if (phrase_.anchor == Anchor::kBreak) judge_closed(tail, end);
  judge_clause(tail, end);
  if (reopens_ && phrase_.anchor >= Anchor::kFirm)
    add(SqlEvidence::kCondition, Certainty::kCertain, phrase_.begin, end, text_.substr(phrase_.begin, 40));
  if (tail == Tail::kComment && stacked_on_ == Anchor::kBreak && hides_little(lexer_.hidden()))
    add(SqlEvidence::kCommentedOut, Certainty::kCertain, phrase_.begin, end, {});
  // ' option(maxdop 1)-- : a clause of one dialect directly behind the quote with which the text begins.
  if (tail == Tail::kComment && phrase_.at_break && leads_ && hides_little(lexer_.hidden()) &&
      has(phrase_.facts, kNumeric | kText))
    add(SqlEvidence::kCommentedOut, Certainty::kCertain, phrase_.begin, end, {});
  if (quote_ == Quote::kNone) judge_fragment(tail, end);
  if (phrase_.anchor == Anchor::kBreak || phrase_.at_break) judge_opening(end);
}

// How the phrase of a condition stands in the text.
struct SqlReader::Setting {
  Tail tail = Tail::kEnd;
  bool quoted = false;  // behind the quote that ends the application's string
  bool closed = false;  // what is left of the application's string is used or commented out
  bool clean = false;   // so it is, or nothing need be
  bool firm = false;
  bool little = false;  // a comment hides nothing but itself
  bool joined = false;
  bool begins = false;  // it is all that stands behind the quote with which the text begins
};

SqlReader::Setting SqlReader::setting_of(const Condition& best, Tail tail) const {
  Setting on{.tail = tail, .quoted = phrase_.anchor == Anchor::kBreak};
  // x' or 1= is compared with the rest of the application's string.
  on.closed = is_closed(tail) || tail == Tail::kSemicolon || (on.quoted && pending_);
  // Behind a quoted value the rest must use or comment out the closing quote; behind a number nothing is
  // needed.
  on.clean = on.closed || (tail == Tail::kEnd && !on.quoted);
  // A parenthesis that the application had opened is a boundary whatever stands before it.
  on.firm = phrase_.anchor >= Anchor::kFirm || (phrase_.anchor == Anchor::kLoose && phrase_.closers > 0);
  on.little = tail != Tail::kComment || hides_little(lexer_.hidden());
  on.joined = best.link == Link::kLogic || best.link == Link::kLogicSign || best.link == Link::kWhere;
  // ' or data @> '{}': begins with the quote, whatever is left of the application's own.
  on.begins = on.quoted && leads_ && on.joined && has(best.facts, kCompares) && phrase_.terms == 2 &&
              tail == Tail::kEnd && !has(best.facts, kUnknown);
  return on;
}

// Its outcome is known.
Certainty SqlReader::sure_of_constants(const Condition& best, const Setting& on) const {
  // 1 < 2 and 3 > 2: the value was a comparison before.
  const bool sum = !on.quoted && has(phrase_.lead, kCompares) &&
                   !has(phrase_.lead, kNames | kSqlCompare | kKnownCall) && phrase_.terms > 1;
  if (sum) return is_closed(on.tail) ? Certainty::kLikely : Certainty::kPossible;
  if (on.firm) return on.clean || on.quoted ? Certainty::kCertain : Certainty::kLikely;
  if (phrase_.anchor == Anchor::kLoose) {
    const bool joined = on.joined && on.tail != Tail::kUnknown && best.link != Link::kLogicSign;
    return joined ? Certainty::kLikely : Certainty::kPossible;
  }
  if (!on.little || !on.clean) return Certainty::kPossible;
  return on.closed ? Certainty::kCertain : Certainty::kLikely;
}

// It compares, but nobody knows with what outcome.
std::optional<Certainty> SqlReader::sure_of_comparison(const Condition& best, const Setting& on) const {
  const Anchor anchor = phrase_.anchor;
  if (best.weight == 4) {
    if (anchor == Anchor::kLoose || (on.joined && anchor == Anchor::kWord)) return {};
    if (((on.firm || !on.joined) && on.clean) || on.begins) return Certainty::kCertain;
    return on.quoted ? Certainty::kLikely : Certainty::kPossible;
  }
  if (anchor <= Anchor::kWord || has(best.facts, kUnknown)) return {};
  if (on.quoted) return on.closed || on.begins ? Certainty::kCertain : Certainty::kLikely;
  return on.firm && on.clean && !has(phrase_.lead, kCompares) ? Certainty::kCertain : Certainty::kPossible;
}

bool parted_by_comments(std::string_view text) noexcept {
  constexpr std::size_t kMaxBytes = 256;
  text = text.substr(0, kMaxBytes);
  for (std::size_t at = text.find("/*"); at != text.npos; at = text.find("/*", at + 2)) {
    const std::size_t end = text.find("*/", at + 2);
    if (end == text.npos) return false;
    if (at > 0 && end + 2 < text.size() && !is_space(text[at - 1]) && !is_space(text[end + 2])) return true;
  }
  return false;
}

// 1 or ~id, 1 or(id), 1 or id*1, 1 is null or id: a number, and what lets every row through with a sign or in
// a writing that no words have.
bool SqlReader::widens_by_column(const Condition& best, const Setting& on) const noexcept {
  if (on.quoted || on.tail != Tail::kEnd || phrase_.begin != value_begin_ || !phrase_.lead_constant ||
      !has(phrase_.lead, kNumeric) || has(phrase_.lead, kNames) || best.begin >= text_.size())
    return false;
  const bool tests = has(phrase_.lead, kCompares) && (has(phrase_.lead, kSqlCompare | kTelling) ||
                                                      text_.substr(0, best.begin).find('(') != text_.npos);
  if (tests || parted_by_comments(text_)) return true;
  const std::string_view all = trim(text_.substr(best.begin));
  const std::size_t word = istarts_with(all, "or") ? 2 : istarts_with(all, "xor") ? 3 : 0;
  if (word == 0 || all.size() < word + 3 || all.size() > 64) return false;
  if (all[word] == '(') return true;
  const std::string_view column = trim(all.substr(word));
  // `-` and `+` before a name, but not within x-large and C++; A/4, R&D and km/h are words, too.
  // Letters by themselves are those of algebra, and A*, x% have no operand behind the sign.
  std::size_t letters = 0;
  std::size_t longest = 0;
  for (const char c : column) {
    letters = is_alpha(c) ? letters + 1 : 0;
    longest = std::max(longest, letters);
  }
  const std::size_t sign = column.find_first_of("*%^<>");
  const bool calculates = has(best.facts, kArithmetic) && sign != column.npos && sign + 1 < column.size();
  return column.front() == '~' ||
         (longest >= 2 &&
          (std::string_view("-+").find(column.front()) != std::string_view::npos || calculates));
}

// A value by itself: x' or 1, 1 or true.
std::optional<Certainty> SqlReader::sure_of_value(const Condition& best, const Setting& on) const {
  if (best.weight == 2) {
    if (phrase_.anchor <= Anchor::kWord) return {};
    return on.closed || (on.firm && on.tail != Tail::kUnknown) ? Certainty::kCertain : Certainty::kLikely;
  }
  if (!on.firm) return {};
  if (on.quoted) return on.closed ? Certainty::kCertain : Certainty::kPossible;
  if (!best.constant && widens_by_column(best, on)) return Certainty::kCertain;
  const bool number = phrase_.begin == value_begin_ && phrase_.lead_constant && has(phrase_.lead, kNumeric);
  // 1 or id-- : nothing stands before the comment that ends the text, nor in it.
  const bool ended =
      on.tail == Tail::kComment && on.little && before_.end == token_.begin && trim(lexer_.hidden()).empty();
  if (number && ((!best.constant && ended) || (on.clean && parted_by_comments(text_))))
    return Certainty::kCertain;
  if (!best.constant) return on.closed ? std::optional(Certainty::kLikely) : std::nullopt;
  if (!on.clean) return {};
  // 1 is not null or 1; 1 or 1 is also what people answer.
  const bool widens = iequals(text_.substr(best.begin, 2), "or") && phrase_.lead_constant;
  // 1 or '1', 1 or !0: a constant that no answer is
  const std::size_t quote = text_.find_first_of("'\"", best.begin);
  const bool one = quote != text_.npos && quote + 1 < text_.size() && text_[quote + 1] == '1' &&
                   (quote + 2 == text_.size() || text_[quote + 2] == text_[quote]);
  const bool odd = widens && ((has(best.facts, kText) && one) ||
                              (has(best.facts, kOddNumber) && !has(phrase_.lead, kOddNumber)));
  if (on.closed || (widens && (has(phrase_.lead, kSqlCompare) || odd || parted_by_comments(text_))))
    return Certainty::kCertain;
  return widens ? Certainty::kLikely : Certainty::kPossible;
}

void SqlReader::judge_condition(Tail tail) {
  const Condition& best = phrase_.best;
  const Setting on = setting_of(best, tail);
  std::optional<Certainty> certainty;
  if (best.weight >= 6) {
    certainty = sure_of_constants(best, on);
  } else if (best.weight == 5) {
    const bool loose = phrase_.anchor == Anchor::kLoose && !on.firm;
    certainty = loose ? (on.closed ? Certainty::kLikely : Certainty::kPossible)
                      : (on.clean || on.quoted ? Certainty::kCertain : Certainty::kLikely);
  } else if (best.weight >= 3) {
    certainty = sure_of_comparison(best, on);
  } else {
    certainty = sure_of_value(best, on);
  }
  if (!certainty) return;
  if (best.link == Link::kLogicSign && best.weight <= 3 && !on.quoted) certainty = lower(*certainty);
  // the `a' or `b' option: nothing ends it as a query must end behind a quote.
  const bool open_end = tail == Tail::kUnknown || (tail == Tail::kOpenString && text_[token_.begin] == '`');
  const bool opens = opens_ && !(on.little && ends_padded_string()) && !goes_on_apart(on);
  if (on.quoted && (opens || (cites_ && open_end)) && best.weight <= 3) certainty = lower(*certainty);
  add(best.weight >= 6 ? SqlEvidence::kConstantCondition : SqlEvidence::kCondition, *certainty, best.begin,
      best.end, text_.substr(best.begin, std::min<std::size_t>(best.end - best.begin, 40)));
}

// admin '-- : blanks at a string's end count for nothing in MySQL. It is one word, and the comment that hides
// the rest has neither words nor numbers, so the quote opens no citation.
bool SqlReader::ends_padded_string() const noexcept {
  const std::string_view hidden = lexer_.hidden();
  const std::string_view before = text_.substr(0, phrase_.begin);
  const std::size_t word = before.find_last_not_of(" \t");
  return token_.kind == TokenKind::kComment && word != before.npos && word + 1 < before.size() &&
         is_alnum(before[word]) && before.substr(0, word).find_first_of(" \t\n") == before.npos &&
         hides_little(hidden) && std::none_of(hidden.begin(), hidden.end(), is_alnum);
}

// x ' or name like '% : a citation has no blanks within its quotes, and stands behind more than a word.
bool SqlReader::goes_on_apart(const Setting& on) const noexcept {
  const std::string_view before = text_.substr(0, phrase_.begin);
  const std::string_view word = trim(before);
  return on.joined && phrase_.terms == 2 && phrase_.lead_operands == 1 && on.tail == Tail::kOpenString &&
         word.size() < before.size() && word.find_first_of(" \t\n'\"`") == word.npos &&
         is_space(text_[phrase_.begin + 1]);
}

// `single`: no blank stands before it.
void SqlReader::judge_commented_out(bool single, std::uint32_t end) {
  const bool little = hides_little(lexer_.hidden());
  const bool secret =
      single && phrase_.lead_operands <= 1 && ends_like_a_secret(text_.substr(0, phrase_.begin));
  // "start" --user name --quiet: an option of a command.
  const bool option = !little && !lexer_.hidden().empty() && is_alpha(lexer_.hidden().front());
  // "#jazz": a string of another language from end to end
  const bool whole = phrase_.begin == 0 && !lexer_.hidden().empty() && is_alpha(lexer_.hidden().front()) &&
                     text_.back() == text_.front();
  // '+is+for+sale+--+ask: an operator without its operand. Blanks of a form are sent so.
  const bool dangles =
      spelled(before_) == "+" && phrase_.lead_operands > 1 && (!little || lexer_.hidden().starts_with('+'));
  const bool direct = skip_space(text_, phrase_.begin + 1) == token_.begin;
  const bool constant = has(phrase_.lead, kCompares | kArithmetic) && !has(phrase_.lead, kNames) && little;
  const bool calculates = has(phrase_.lead, kCompares | kArithmetic) && phrase_.lead_operands == 2 && little;
  const bool padded = (direct || constant || calculates) && ends_padded_string();
  const bool sure = (little || single) && !secret && !option && !dangles;
  const Certainty certainty = (opens_ && !padded) || whole ? Certainty::kPossible
                              : sure                       ? Certainty::kCertain
                                                           : Certainty::kLikely;
  add(SqlEvidence::kCommentedOut, certainty, phrase_.begin, end, {});
}

// Text behind the quote that ends the application's string, where no condition stands.
void SqlReader::judge_closed(Tail tail, std::uint32_t end) {
  if (before_.kind == TokenKind::kComma && tail != Tail::kOpenString) return;  // ',; and ", #
  const bool only_lead = phrase_.best.begin == kNowhere;
  static constexpr ByteFinder kBlanks(" \t\n");
  const bool single = kBlanks.find(text_.substr(0, phrase_.begin), 0) == phrase_.begin;
  if (tail == Tail::kComment) return judge_commented_out(single, end);
  if (phrase_.aliased && phrase_.clause_keyword == Keyword::kFrom)
    add(SqlEvidence::kFragment, Certainty::kCertain, phrase_.begin, end, "an alias before FROM");
  const bool compares = phrase_.terms == 1 && phrase_.lead_operands >= 2 && has(phrase_.lead, kCompares);
  if (tail == Tail::kSemicolon) {
    if (compares && ahead_.kind == TokenKind::kEnd)
      add(SqlEvidence::kClosedExpression, Certainty::kCertain, phrase_.begin, end, {});
    add(SqlEvidence::kCommentedOut,
        ahead_.kind != TokenKind::kEnd ? Certainty::kPossible
        : single && !opens_            ? Certainty::kCertain
                                       : Certainty::kLikely,
        phrase_.begin, end, {});
    return;
  }
  if (tail == Tail::kEnd && compares && only_lead && phrase_.begin == 0 && !has(phrase_.lead, kNames)) {
    add(SqlEvidence::kClosedExpression, Certainty::kLikely, phrase_.begin, end, {});
    return;
  }
  if (tail == Tail::kEnd && compares && only_lead && single && !opens_)
    add(SqlEvidence::kClosedExpression, Certainty::kPossible, phrase_.begin, end, {});
  if (tail != Tail::kOpenString || !only_lead) return;
  // x'%"…: what is left of the application's own string cannot close another kind of quote. Of '="or' a
  // second field can.
  const bool other_quote = phrase_.begin < text_.size() && token_.begin < text_.size() &&
                           text_[phrase_.begin] != text_[token_.begin];
  // '-0-', '*': nobody's password
  const bool signs = leads_ && std::none_of(text_.begin(), text_.end(), is_letter_byte);
  if (phrase_.terms == 1 && phrase_.lead_operands >= 2) {
    const bool names = has(phrase_.lead, kNames) && !has(phrase_.lead, kComparedInside);
    const Certainty certainty = opens_                 ? Certainty::kPossible
                                : compares || signs    ? Certainty::kCertain
                                : names || other_quote ? Certainty::kPossible
                                                       : Certainty::kLikely;
    add(SqlEvidence::kClosedExpression, certainty, phrase_.begin, end, {});
  } else if (phrase_.assigns) {
    add(SqlEvidence::kFragment, Certainty::kCertain, phrase_.begin, end, "an assignment");
  } else if (phrase_.closers > 0 && phrase_.terms > 1) {
    add(SqlEvidence::kFragment, opens_ ? Certainty::kPossible : Certainty::kCertain, phrase_.begin, end,
        "another row");
  }
}

void SqlReader::judge_clause(Tail tail, std::uint32_t end) {
  if (phrase_.clause == kNowhere) return;
  const Anchor anchor = phrase_.anchor;
  const bool quoted = anchor == Anchor::kBreak;
  const bool hidden = tail == Tail::kComment && hides_little(lexer_.hidden());
  const bool clean = tail != Tail::kUnknown;
  const bool signs = has(phrase_.clause_facts, kSigned);
  const bool numbers = has(phrase_.clause_facts, kNumeric) &&
                       !has(phrase_.clause_facts | phrase_.lead, kNames) && phrase_.begin == value_begin_;
  Certainty certainty = Certainty::kPossible;
  switch (phrase_.clause_keyword) {
    case Keyword::kOrder:
    case Keyword::kGroup:
      if (tail == Tail::kComment && has(phrase_.clause_facts, kNumeric) &&
          !has(phrase_.clause_facts, kNames)) {
        certainty = Certainty::kCertain;
        break;
      }
      if (anchor < Anchor::kString && !hidden) return;
      if (quoted || hidden) {
        certainty = is_closed(tail) ? Certainty::kCertain : Certainty::kLikely;
      } else if (clean) {
        certainty = signs && anchor == Anchor::kFirm ? Certainty::kCertain : Certainty::kLikely;
      }
      break;
    case Keyword::kFrom: {
      const bool selects = has(phrase_.lead, kSigned) && has(phrase_.lead, kKnownCall | kTelling);
      const bool star = text_.substr(phrase_.begin, 1) == "*";
      if (!(star || selects || hidden) || !clean) return;
      const bool calls = has(phrase_.lead, kKnownCall) && has(phrase_.lead, kText | kNumeric);
      // "Backport it from main #12", "… from the list (#12)": a comment that hides a number is one only
      // behind a grammar from the beginning on, and what it hides cannot close a parenthesis.
      const bool empty = trim(lexer_.hidden()).empty();
      const bool whole = hidden && (empty || (anchor != Anchor::kLoose && !unclosed_));
      certainty = whole || calls ? Certainty::kCertain : Certainty::kLikely;
      break;
    }
    case Keyword::kProcedure:
    case Keyword::kInto:
    case Keyword::kOn:
      if (anchor < Anchor::kString) return;
      certainty = clean && signs ? Certainty::kCertain : Certainty::kPossible;
      break;
    case Keyword::kLimit:
      if (anchor < Anchor::kFirm || !clean) return;
      certainty = is_closed(tail) ? Certainty::kCertain : numbers ? Certainty::kLikely : Certainty::kPossible;
      break;
    default:
      if (anchor < Anchor::kFirm || !clean) return;
      certainty = is_closed(tail) || numbers ? Certainty::kLikely : Certainty::kPossible;
  }
  if (quoted && opens_) certainty = lower(certainty);
  add(SqlEvidence::kClause, certainty, phrase_.clause, end, phrase_.clause_name);
}

}  // namespace wafd::detect::sql
