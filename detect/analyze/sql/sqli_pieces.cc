// What stands directly behind a quote, and values that are SQL, or a piece of it, from beginning to end.
#include "detect/analyze/sql/sqli_finder.h"

namespace wafd::detect::sqli {
namespace {

constexpr std::size_t kMaxNumberBytes = 32;

// "total as", before the quote that closes the alias.
bool ends_in_as(std::string_view text) noexcept {
  if (text.size() < 3) return false;
  const char before = text[text.size() - 3];
  return iequals(text.substr(text.size() - 2), "as") && !is_alnum(before) && before != '_';
}

}  // namespace

void Finder::behind_quote() {
  const Token& next = sql_.at(start_);
  suspect_behind_quote();
  if (sql_.at_end(start_)) {
    if (start_ > 1) hit(kSuspected, 0, sql_.size(), "ends in a quote and a parenthesis");
    return;
  }
  std::size_t i = start_;
  if (next.kind == Kind::kSemicolon) ++i;
  if (next.kind == Kind::kSemicolon && sql_.at_end(i)) {
    // admin'; has one quote and no spaces: no string of a program, no sentence.
    const std::size_t at = sql_.at(0).begin;
    const bool lone = complete_ && at > 0 &&
                      trim(text_.substr(0, at)).find_first_of(" '\"`=(") == text_.npos &&
                      text_.find_first_of("'\"`", at + 1) == text_.npos;
    return hit(lone ? kFragment : kSuspected, 0, sql_.size(), "closes a string and ends the statement");
  }
  if (next.kind == Kind::kSemicolon && cuts_off()) {
    hit(kCommentedOut, 0, sql_.size(), "closes a string, ends the statement and comments out the rest");
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
  if (next.is(Word::kFrom) && ends_in_as(text_.substr(0, sql_.at(0).begin))) {
    hit(kFragment, 0, start_ + 1, "closes an alias and continues with FROM");
  }
  delay_behind_quote();
  switch (next.part() == Part::kName ? Word::kOther : next.info->word) {
    case Word::kUnion:
    case Word::kSelect:
    case Word::kInsert:
    case Word::kUpdate:
    case Word::kDelete:
    case Word::kDrop:
    case Word::kExec:
    case Word::kDeclare:
      // 'union a: the quote comes first, and none ends what it would begin.
      hit(complete_ && trim(text_.substr(0, sql_.at(0).begin)).empty() && sql_.size() <= 4 && !has_text()
              ? kFragment
              : kSuspected,
          0, start_ + 1, "closes a string, then names a statement of SQL");
      break;
    default:
      break;
  }
  if (!anchored_) return;
  if (next.kind == Kind::kCompare || (next.part() == Part::kCompare && next.info->word == Word::kLike)) {
    const Operand right = sql_.operand(start_ + 1);
    std::size_t behind = right ? right.end : start_;
    while (sql_.at(behind).kind == Kind::kRight) ++behind;
    const bool ends = sql_.at(behind).kind == Kind::kSemicolon && sql_.at_end(behind + 1);
    // A string that ends leaves the query's own quote without a fellow.
    const bool text = is_text(sql_.at(right ? right.first : start_)) &&
                      (sql_.at(right.first).kind == Kind::kOpenString || !sql_.at_end(behind));
    if (right && right.constant && whole &&
        (text || ends_with_comment() || is_logic(sql_.at(behind)) || ends)) {
      hit(quotes_sign(right.first) ? kSuspected : kCondition, 0, right.end,
          "closes a string, then compares it with a constant");
    }
  }
  // x', role='admin: another column of an UPDATE, whose string the query's own quote ends.
  if (next.kind == Kind::kComma && start_ == 1 && sql_.size() == 5 && complete_ &&
      sql_.at(2).part() == Part::kName && sql_.at(3).kind == Kind::kCompare && sql_.at(3).first == '=' &&
      sql_.at(4).kind == Kind::kOpenString && sql_.at(4).first == sql_.at(0).first) {
    return hit(kFragment, 0, 5, "closes a string, then sets another column");
  }
  if (next.kind == Kind::kComma && ends_with_comment() && whole) {
    hit(kCommentedOut, 0, plausible_, "closes a string, adds values and comments out the rest of the query");
    return;
  }
  if (ends_with_comment() && whole) {
    // Tablet 10" > C# cheat sheet: words before the quote and behind the sign.
    const Token& comment = sql_.at(plausible_ - 1);
    const bool words = text_.substr(comment.begin, 1) == "#" &&
                       trim(text_.substr(0, sql_.at(0).begin)).find(' ') != std::string_view::npos &&
                       trim(text_.substr(comment.begin)).find(' ') != std::string_view::npos;
    hit(words ? kSuspected : kCommentedOut, 0, plausible_,
        "closes a string, continues the query and comments out the rest");
  }
}

// '; drop keyspace shop; --: to the comment that ends the text, in one line; a program would have words
// there.
bool Finder::cuts_off() const noexcept {
  if (!complete_ || !sql_.is_comment(sql_.size() - 1) || text_.find('\n') != text_.npos) return false;
  const Token& comment = sql_.at(sql_.size() - 1);
  if (comment.kind != Kind::kLineComment || sql_.size() < 5) return false;
  const std::size_t quote = sql_.at(0).begin;
  const std::string_view before = text_.substr(0, quote);
  return trim(text_.substr(comment.end)).find(' ') == text_.npos &&
         before.find_first_of("\"'`(=") == before.npos &&
         text_.find(sql_.at(0).first, comment.end) == text_.npos && sql_.at(start_ + 1).kind == Kind::kWord;
}

// Unexpected token '<', ...: a sign in quotes, in a sentence. `next` is the string that would begin behind
// it.
bool Finder::quotes_sign(std::size_t next) const noexcept {
  const std::size_t quote = sql_.at(0).begin;
  // {content:"<"}: a property of a style sheet. To no dialect is an empty string more than another.
  const std::size_t second = sql_.at(next).begin + 1;
  const Token& sign = sql_.at(start_);
  const bool angle = sign.end == sign.begin + 1 && (text_[sign.begin] == '<' || text_[sign.begin] == '>');
  if (angle && quote > 1 && text_[quote] == '"' && text_[quote - 1] == ':' && is_alpha(text_[quote - 2]) &&
      second < text_.size() && (text_[second] == '}' || text_[second] == ';') && sign.begin == quote + 1 &&
      sql_.at(next).begin == sign.end)
    return true;
  const auto blank = [](char c) { return is_space(c) || c == '+'; };
  if (quote < 2 || !blank(text_[quote - 1])) return false;
  const bool close = sql_.at(start_).begin == quote + 1 && sql_.at(next).begin == sql_.at(start_).end;
  return close && trim(text_.substr(0, quote - 1)).find_first_of(" +") != std::string_view::npos;
}

// x' sleep(5) ': no dialect joins them so, but other languages do, and the attacker tries them all.
void Finder::delay_behind_quote() {
  const std::size_t at = sql_.at(0).begin;
  if (at == 0 || is_space(text_[at - 1])) return;  // a quote that opens
  std::size_t i = start_;
  while (sql_.at(i).kind == Kind::kDot || sql_.at(i).kind == Kind::kArithmetic || is_logic(sql_.at(i)) ||
         sql_.at(i).kind == Kind::kSemicolon)
    ++i;
  const Token& argument = sql_.at(i + 2);
  if (sql_.at(i).kind != Kind::kWord || sql_.at(i).info->use != Use::kDelay ||
      sql_.at(i + 1).kind != Kind::kLeft || sql_.at_end(i + 2) || !is_digit(text_[argument.begin]))
    return;
  hit(kTimeDelay, 0, sql_.behind_group(i + 1),
      "closes a string, then waits with " + to_lower(sql_.spelled(i)) + "()");
}

// Suspected: prose has such places too, if seldom.
void Finder::suspect_behind_quote() {
  const Token& next = sql_.at(start_);
  const bool reopened = text_.find(sql_.at(0).first, sql_.at(0).begin + 1) != text_.npos;
  if (is_logic(next) && (next.kind == Kind::kWord || !reopened) && !sql_.at_end(start_ + 1)) {
    return hit(kSuspected, 0, start_ + 1,
               "closes a string, then continues with " + to_upper(sql_.spelled(start_)));
  }
  if (next.kind == Kind::kCompare && complete_ && (!reopened || sql_.is_comment(start_ + 1)) &&
      next.first == '=') {
    return hit(kSuspected, 0, sql_.size(), "closes a string, then compares it");
  }
  // '-0-': the strings around it become numbers.
  const std::string_view rest = text_.substr(sql_.at(0).end);
  if (next.kind == Kind::kArithmetic && complete_ && start_ == 1 && rest.size() >= 4 &&
      trim(rest).size() <= kMaxNumberBytes) {
    const std::string_view middle = trim(rest);
    const bool numbers = middle.back() == sql_.at(0).first &&
                         middle.find_first_not_of("-+*/%^&|.0123456789") == middle.size() - 1 &&
                         middle.find_first_of("0123456789") != middle.npos &&
                         !is_digit(middle[middle.size() - 2]);
    if (numbers) hit(kSuspected, 0, sql_.size(), "closes a string, then calculates with it");
  }
  // "->" is how programs reach members.
  if (next.kind == Kind::kArithmetic && next.end - next.begin == 1 &&
      sql_.at(start_ + 1).part() == Part::kClause)
    hit(kSuspected, 0, start_ + 2, "closes a string, then continues with a clause of SQL");
}

void Finder::whole_value() {
  std::size_t i = 0;
  while (sql_.at(i).kind == Kind::kLeft) ++i;
  const Shape shape = sql_.statement(i);
  const bool whole = plausible_ >= sql_.size();
  if (shape == Shape::kNone) {
    fragment(i, whole);
    if (!pair_) suspect_value();
    return;
  }
  const std::string reason = "is a statement of SQL: " + to_upper(sql_.spelled(i));
  // A statement on ordinary tables with prose behind it is a question about SQL.
  const bool telling = sql_.at(i).is(Word::kSelect) && (sql_.select(i).telling || sql_.select(i).system);
  // Nobody binds values to the parameters of an injected statement: programs report theirs so.
  const bool parameters = std::any_of(stream_.tokens.begin(), stream_.tokens.end(), [](const Token& t) {
    return t.kind == Kind::kVariable && (t.first == '?' || t.first == ':');
  });
  const bool certain = shape == Shape::kStrong && ((whole && !parameters) || telling) && !as_written(i);
  hit(certain ? kWholeStatement : kSuspected, i, sql_.size(), reason);
}

bool Finder::as_written(std::size_t i) const noexcept {
  const Token& first = sql_.at(i);
  const SelectShape select = first.is(Word::kSelect) ? sql_.select(i) : SelectShape{};
  const bool tables = first.is(Word::kInsert) || first.is(Word::kUpdate) || first.is(Word::kDelete) ||
                      first.is(Word::kDrop) || (select.from && !select.system);
  if (!tables || !complete_ || i > 0 || stream_.version_comment || stream_.glued ||
      text_.find("/*!") != text_.npos)
    return false;
  // SeLeCT hides from somebody.
  const std::string_view spelled = sql_.spelled(i);
  const auto upper = static_cast<std::size_t>(std::count_if(spelled.begin(), spelled.end(), is_upper));
  if (upper > 1 && upper < spelled.size()) return false;
  std::size_t end = first.begin;
  for (const Token& t : stream_.tokens) {
    // A comment in place of a space; names in backticks, as programs write them.
    if (t.begin > end && std::none_of(text_.begin() + end, text_.begin() + t.begin, is_space)) return false;
    if (t.kind == Kind::kWord && t.quoted && t.first == '`') return false;
    end = t.end;
    const bool broken = t.kind == Kind::kOpenString || t.kind == Kind::kLineComment ||
                        t.kind == Kind::kOpenComment || t.kind == Kind::kOther ||
                        (t.kind == Kind::kLeft && t.match < 0);
    const bool reaches = t.kind == Kind::kWord && !t.quoted && t.info->use != Use::kNone &&
                         (t.info->distinctive || t.info->use > Use::kInfo);
    if (broken || reaches || t.part() == Part::kUnion || t.part() == Part::kCase ||
        (t.part() == Part::kSelect && &t != &first))
      return false;
  }
  return true;
}

}  // namespace wafd::detect::sqli
