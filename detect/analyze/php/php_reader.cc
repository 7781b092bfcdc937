#include "detect/analyze/php/php_reader.h"

#include <algorithm>
#include <array>

#include "detect/analyze/base/variable_question.h"
#include "detect/analyze/base/word_ending.h"
#include "detect/analyze/php/directives.tsv.h"
#include "detect/analyze/php/families.tsv.h"
#include "detect/analyze/php/open_tags.h"
#include "detect/analyze/php/words.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/name_bytes.h"
#include "detect/core/word_set.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::php {
namespace {

constexpr std::size_t kMaxGapBytes = 512;
constexpr std::size_t kMaxArgumentBytes = 96;
constexpr std::size_t kMaxHeadBytes = 64;     // of the condition of a statement
constexpr std::size_t kMaxRunnerBytes = 256;  // from a call that runs its argument to what the argument is

constexpr auto kWordBytes = []() {
  std::array<bool, 256> all{};
  for (std::size_t c = 0; c < all.size(); ++c)
    all[c] = is_alnum(static_cast<char>(c)) || c == '_' || c >= 0x80;
  return all;
}();
bool word_byte(char c) noexcept { return kWordBytes[byte(c)]; }
// A soft hyphen is a dash to a command line of Windows, which maps it to the best fit of its code page; the
// same byte is the last one of other letters in UTF-8.
bool ends_with_dash(std::string_view text) noexcept {
  if (!text.ends_with('\xad')) return text.ends_with('-');
  return text.size() < 2 || byte(text[text.size() - 2]) < 0x80 || text[text.size() - 2] == '\xc2';
}
bool gap_byte(char c) noexcept { return is_space(c) || c == '\0'; }
bool one_of(char c, std::string_view set) noexcept { return set.find(c) != std::string_view::npos; }
constexpr ByteFinder kTagSigns(kTagBytes);
Use use_of(std::string_view word) noexcept {
  const WordRow* row = kWords.find(word);
  return row == nullptr ? Use::kNone : row->use;
}

// "On", "512M", a file: what php.ini has behind "=".
bool configuration_value(std::string_view value) noexcept {
  value = trim(value);
  if (value.empty() || value.size() > 128) return false;
  for (const std::string_view word : {"on", "off", "true", "false", "yes", "no", "none", "null"}) {
    if (iequals(value, word)) return true;
  }
  if (value.ends_with(".so") || value.ends_with(".dll")) return true;
  return value[0] == '/' ? value.size() > 1 : std::all_of(value.begin(), value.end(), is_digit);
}

}  // namespace

Use function_use(std::string_view name) noexcept { return function_use(name, use_of(name)); }

Use function_use(std::string_view name, Use use) noexcept {
  constexpr Use kFunction = Use::kOwn | Use::kOrdinary;
  if (meets(use, kFunction)) return use;
  for (std::size_t bar = name.find('_'); bar != std::string_view::npos && bar + 2 < name.size();
       bar = name.find('_', bar + 1)) {
    if (kFamilies.has(name.substr(0, bar + 1))) return use | Use::kOwn;
  }
  return Use::kNone;
}

PhpReader::PhpReader(std::string_view text, bool tags_alone, EvidenceList& out) noexcept
    : text_(text),
      tags_alone_(tags_alone),
      out_(out),
      last_close_(text.rfind(')')),
      one_line_(text.find('\n') == std::string_view::npos),
      first_quotes_{text.find('\''), text.find('"')} {}

void PhpReader::run() {
  for (std::size_t i = 0; i < text_.size();) {
    const char c = text_[i];
    if (word_byte(c)) {
      const std::size_t begin = i;
      while (i < text_.size() && word_byte(text_[i])) ++i;
      count_steps(10);
      if (!tags_alone_ && i - begin <= kMaxWordBytes) read_word(begin, i);
      continue;
    }
    if (kTagSigns.has(c)) {
      const Tag tag = tag_at(text_, i);
      constexpr PhpEvidence kKinds[] = {PhpEvidence::kOpenTag, PhpEvidence::kOpenTag, PhpEvidence::kShortTag,
                                        PhpEvidence::kEngineTag};
      if (tag != Tag::kNone) {
        // A line of its own at the very beginning: a file of source (PSR-12 3).
        const bool source = tag == Tag::kFull && starts_text(i) && (at(i + 5) == '\n' || at(i + 5) == '\r');
        source_ = source_ || source;
        add(kKinds[static_cast<std::size_t>(tag)], source ? Certainty::kLikely : Certainty::kCertain, i,
            i + 24);
      }
    } else if (!tags_alone_) {
      count_steps(10);
      if (c == '$') read_dollar(i);
      if (c == ')' || c == ']' || c == '}') read_closed(i);
      if (c == ';') runner_ = kNowhere;
    }
    ++i;
  }
}

std::size_t PhpReader::word_end(std::size_t i) const noexcept {
  const std::size_t limit = std::min(text_.size(), i + kMaxWordBytes);
  while (i < limit && word_byte(text_[i])) ++i;
  return i;
}

std::size_t PhpReader::behind_gap(std::size_t i) const noexcept {
  const std::size_t limit = std::min(text_.size(), i + kMaxGapBytes);
  const std::string_view near = text_.substr(0, limit);
  while (i < limit) {
    if (gap_byte(near[i])) {
      ++i;
    } else if (near[i] == '#' || (near[i] == '/' && at(i + 1) == '/')) {
      const std::size_t end = near.find_first_of("\r\n", i);
      if (end == std::string_view::npos) return i;
      i = end;
    } else if (near[i] == '/' && at(i + 1) == '*') {
      const std::size_t end = near.find("*/", i + 2);
      if (end == std::string_view::npos) return i;
      i = end + 2;
    } else {
      return i;
    }
  }
  return i;
}

std::size_t PhpReader::before_gap(std::size_t i) const noexcept {
  const std::size_t limit = i > kMaxGapBytes ? i - kMaxGapBytes : 0;
  while (i > limit && gap_byte(text_[i - 1])) --i;
  return i;
}

bool PhpReader::starts_text(std::size_t i) const noexcept {
  std::size_t begin = before_gap(i);
  while (begin > 0 && (text_[begin - 1] == '@' || text_[begin - 1] == '\\')) begin = before_gap(begin - 1);
  return begin == 0;
}

bool PhpReader::ends_text(std::size_t i) const noexcept {
  i = behind_gap(i);
  while (at(i) == ';') i = behind_gap(i + 1);
  return i >= text_.size();
}

bool PhpReader::comments_out(std::size_t i) const noexcept {
  i = behind_gap(i);
  if (at(i) != ';') return false;
  while (at(i) == ';') i = behind_gap(i + 1);
  const std::string_view rest = text_.substr(std::min(i, text_.size()));
  const std::size_t size = rest.starts_with('#')                              ? 1
                           : rest.starts_with("//") || rest.starts_with("/*") ? 2
                                                                              : 0;
  return size != 0 && skip_space(rest, size) == rest.size();
}

std::string_view PhpReader::word_before(std::size_t i) const noexcept {
  const std::size_t limit = i > kMaxWordBytes ? i - kMaxWordBytes : 0;
  std::size_t begin = i;
  while (begin > limit && word_byte(text_[begin - 1])) --begin;
  return text_.substr(begin, i - begin);
}

bool PhpReader::joins_strings(std::size_t dot) const noexcept {
  const std::size_t end = before_gap(dot);
  if (end == 0) return false;
  const char c = text_[end - 1];
  if (one_of(c, "'\"`)}]")) return true;
  const std::string_view word = word_before(end);
  return !word.empty() && before(end - word.size()) == '$';
}

// {1 or ,1: the number is all of what stands before an arrow.
std::string_view PhpReader::number_before(std::size_t end) const noexcept {
  const std::string_view number = word_before(end);
  return number.find_first_not_of("0123456789") == number.npos ? number : std::string_view();
}

bool PhpReader::is_item_number(std::size_t end) const noexcept {
  const std::string_view number = number_before(end);
  return !number.empty() && one_of(before(before_gap(end - number.size())), "{,[");
}

// if(1) f(), while(x) f(): the parenthesis that ends at `close` is the head of a statement.
bool PhpReader::ends_head(std::size_t close) const noexcept {
  const std::size_t limit = close > kMaxHeadBytes ? close - kMaxHeadBytes : 0;
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i > limit; --i) {
    if (text_[i - 1] == ')') ++depth;
    if (text_[i - 1] != '(' || --depth != 0) continue;
    static constexpr WordSet kHeads({"if", "elseif", "while", "for", "foreach", "switch"});
    return kHeads.has(word_before(before_gap(i - 1)));
  }
  return false;
}

bool PhpReader::expression_start(std::size_t i) const noexcept {
  if (before(i) == '\\') {
    --i;
    // namespace\f() is f() of the namespace at hand
    const std::string_view word = word_before(i);
    if (iequals(word, "namespace")) i -= word.size();
  }
  const std::size_t end = before_gap(i);
  if (end == 0) return true;
  const char c = text_[end - 1];
  if (word_byte(c)) return meets(use_of(word_before(end)), Use::kLead);
  if (c == ')') return ends_head(end - 1) || ends_cast(end);
  if (c == ']') return false;
  if (c == '.') return joins_strings(end - 1);
  if (c == ':') return before(end - 1) != ':';
  if (c != '>') return true;
  // 1>f(): a comparison; a tag ends with a name or a value
  const std::size_t compared = before_gap(end - 1);
  if (!number_before(compared).empty() && text_.substr(0, compared).find('<') == std::string_view::npos)
    return true;
  // fn($x) => f($x), ['a' => f()]; other languages have arrows without either, all have members behind ->.
  if (before(end - 1) != '=') return false;
  const std::size_t operand = before_gap(end - 2);
  // match(1) {1 => f()}: no other language has an arrow behind a number alone
  if (operand > 0 && (quote(operand - 1) || is_item_number(operand))) return true;
  const std::string_view ahead =
      text_.substr(operand - std::min<std::size_t>(operand, 24), std::min<std::size_t>(operand, 24));
  return ifind(ahead, "fn(") != std::string_view::npos || ifind(ahead, "fn (") != std::string_view::npos;
}

// At the text's begin, or behind a semicolon.
bool PhpReader::stands_alone(std::size_t begin) const noexcept {
  return starts_text(begin) || before(before_gap(begin)) == ';';
}

// (string)f(): a cast to a type of PHP (PHP manual, "Type juggling").
bool PhpReader::ends_cast(std::size_t end) const noexcept {
  static constexpr WordSet kTypes({"string", "int", "integer", "float", "double", "bool", "boolean", "array",
                                   "object", "binary", "unset"});
  constexpr std::size_t kMostBytes = 24;
  const std::string_view near = text_.substr(end - std::min(end, kMostBytes), std::min(end, kMostBytes));
  const std::size_t open = near.rfind('(');
  return near.ends_with(')') && open != near.npos &&
         kTypes.has(trim_space(near.substr(open + 1, near.size() - open - 2)));
}

// f(name: 'x'), f(...['x']), f(['x'][0]), f((string)'x'): arguments as PHP writes constants besides plain
// ones.
bool PhpReader::is_php_argument(std::size_t i) const noexcept {
  const std::string_view rest = text_.substr(std::min(i, text_.size()));
  if (rest.starts_with("...")) return true;
  if (rest.starts_with('[')) return quote(behind_gap(i + 1));
  if (rest.starts_with('(')) {
    const std::size_t close = rest.substr(0, 24).find(')');
    return close != rest.npos && ends_cast(i + close + 1);
  }
  const std::size_t end = word_end(i);
  const std::size_t colon = behind_gap(end);
  return end > i && at(colon) == ':' && at(colon + 1) != ':' && quote(behind_gap(colon + 1));
}

std::size_t PhpReader::close_of(std::size_t open) const noexcept {
  const std::size_t limit = std::min(text_.size(), open + kMaxArgumentBytes);
  int depth = 0;
  count_steps((limit - open) / 2);
  for (std::size_t i = open; i < limit; ++i) {
    if (text_[i] == '(') ++depth;
    if (text_[i] == ')' && --depth == 0) return i;
  }
  return kNowhere;
}

bool PhpReader::goes_on(std::size_t close) const noexcept {
  if (close == kNowhere) return true;
  const std::size_t next = behind_gap(close + 1);
  if (next >= text_.size()) return true;
  const char c = text_[next];
  if (word_byte(c)) return meets(use_of(text_.substr(next, word_end(next) - next)), Use::kOperator);
  // A question is no choice.
  if (c == '?') return behind_gap(next + 1) < text_.size();
  if (c != ':' || at(next + 1) == ':') return true;
  const std::size_t told = behind_gap(next + 1);
  const std::size_t from = close > 64 ? close - 64 : 0;
  return !(word_byte(at(told)) || at(told) == '(' || at(told) == '+') ||
         text_.substr(from, close - from).find('?') != std::string_view::npos;
}

bool PhpReader::breaks_out(std::size_t begin, std::size_t close) const noexcept {
  std::size_t joint = before_gap(begin);
  while (joint > 0 && one_of(text_[joint - 1], "@\\{}")) joint = before_gap(joint - 1);
  if (joint == 0 || !one_of(text_[joint - 1], ";.")) return false;
  std::size_t end = before_gap(joint - 1);
  while (end > 0 && one_of(text_[end - 1], ")]")) end = before_gap(end - 1);
  // The value's first: it opened no string that this one ends.
  if (end == 0 || !quote(end - 1) || first_quotes_[text_[end - 1] == '"'] != end - 1) return false;
  if (close == kNowhere) return true;
  const std::size_t next = behind_gap(close + 1);
  return next >= text_.size() || at(next) == ';' || at(next) == '.' || at(next) == '#' || at(next) == '/';
}

void PhpReader::add(PhpEvidence kind, Certainty certainty, std::size_t begin, std::size_t end,
                    std::string_view name) {
  end = std::min(end, text_.size());
  out_.add(kind, certainty, begin, end, name.empty() ? text_.substr(begin, end - begin) : name);
}

bool PhpReader::runs_here(std::size_t i) const noexcept {
  return runner_ != kNowhere && i - runner_ < kMaxRunnerBytes;
}

void PhpReader::read_word(std::size_t begin, std::size_t end) {
  const std::string_view word = text_.substr(begin, end - begin);
  const char behind = at(end);
  if (behind == '=' || behind == '.' || gap_byte(behind)) read_directive(begin, end);
  const Use named = use_of(word);
  const Use use = function_use(word, named);
  if (named == Use::kNone && use == Use::kNone) return;
  if (meets(named, Use::kKlass)) read_class(word, begin, end);
  if (meets(named, Use::kIncludes)) read_include(begin, end);
  if (use == Use::kNone) return;
  if (quote(end) && before(begin) == behind) {
    read_quoted(word, use, begin, end);
    return;
  }
  const std::size_t open = behind_gap(end);
  if (at(open) == '(' && expression_start(begin) && !(open == end && ends_a_word(text_, open)))
    read_call(word, use, begin, end, open);
}

void PhpReader::read_call(std::string_view name, Use use, std::size_t begin, std::size_t end,
                          std::size_t open) {
  if (meets(use, Use::kDecodes) && runs_here(begin))
    add(PhpEvidence::kRunsInput, Certainty::kCertain, runner_, open + 1);
  if (meets(use, Use::kRuns)) {
    runner_ = begin;
    runner_open_ = open;
  }
  const std::size_t close = close_of(open);
  const std::size_t shown = close == kNowhere ? open + 1 : close + 1;
  const bool closed = last_close_ != kNowhere && last_close_ > open;
  const bool empty = at(behind_gap(open + 1)) == ')';
  const bool alone = starts_text(begin) && close != kNowhere && ends_text(close + 1);
  if (meets(use, Use::kOwn)) {
    const bool said = empty && !meets(use, Use::kBare) && !alone && !breaks_out(begin, close);
    // C has a function of that name: PHP's takes a variable, begins the value, or follows a string that
    // ended.
    const bool shared = meets(use, Use::kLibrary) && at(behind_gap(open + 1)) != '$' &&
                        before(begin) != '@' && !starts_text(begin) && !breaks_out(begin, close);
    // Of a file of source what runs commands or code, or changes files, says something.
    const bool usual = source_ && !meets(use, Use::kNamed);
    const bool reads = closed && !said && !shared && !usual && goes_on(close);
    // mysql_query($q) or die(…): a line of a program that people ask about, unless it is all of the value or
    // behind what a value ends.
    constexpr Use kTelling = Use::kRuns | Use::kNamed | Use::kDecodes | Use::kBare | Use::kDigest;
    const bool injected = alone || before(before_gap(begin)) == ';' || breaks_out(begin, close);
    const bool telling = meets(use, kTelling) || injected || !one_line_;
    add(PhpEvidence::kCalls,
        !reads    ? Certainty::kPossible
        : telling ? Certainty::kCertain
                  : Certainty::kLikely,
        begin, shown, name);
    return;
  }
  // 1);exit(md5(1));//
  const bool statement = stands_alone(begin);
  const bool cuts = statement && close != kNowhere && comments_out(close + 1);
  const bool reads =
      closed && (cuts || (meets(use, Use::kStrong) ? strong_call(use, begin, end, open, close)
                                                   : ordinary_call(name, use, begin, open, close)));
  // Behind another statement or operator, or as all of the value; in lines of their own other languages have
  // it too.
  const std::size_t gap = before_gap(begin);
  const bool joined = one_line_ && gap > 0 && one_of(text_[gap - 1], ";{}.@\\'\"|&?>");
  // system/**/('id'): nobody else writes it so.
  const bool hidden = closed && (starts_text(begin) || joined) &&
                      text_.substr(end, open - end).find_first_of("/#") != text_.npos;
  if (reads || hidden)
    add(PhpEvidence::kCalls,
        joined || starts_text(begin) || breaks_out(begin, close) ? Certainty::kCertain : Certainty::kLikely,
        begin, shown, name);
  else if (starts_text(begin))
    add(PhpEvidence::kCalls, Certainty::kPossible, begin, shown, name);
}

// At the text's begin, behind what ends a string, a call or a statement before it: 1);…, ';…
bool PhpReader::begins_statement(std::size_t begin) const noexcept {
  if (starts_text(begin)) return true;
  const std::size_t first = text_.find_first_not_of("'\")]} \t");
  return first < begin && text_[first] == ';' && text_.find_first_not_of("; \t", first) == begin;
}

// ;echo md5(1);: who has a digest of a constant printed looks whether code runs.
bool PhpReader::is_printed(std::size_t begin, std::size_t open, std::size_t close) const noexcept {
  const std::size_t argument = behind_gap(open + 1);
  if (!is_digit(at(argument)) && !quote(argument)) return false;
  for (const std::string_view word : {"echo", "print"}) {
    const std::size_t end = before_gap(begin);
    if (end < begin && end >= word.size() && iequals(text_.substr(end - word.size(), word.size()), word))
      return begins_statement(end - word.size()) &&
             (close == kNowhere || ends_text(close + 1) || quote(behind_gap(close + 2)));
  }
  return false;
}

// system (as in operating system): three words in a row, one of which joins others, are no argument.
bool PhpReader::is_prose(std::size_t begin, std::size_t end) const noexcept {
  static constexpr WordSet kJoining({"a", "an", "and", "as", "in", "is", "of", "or", "the", "to", "with"});
  std::size_t words = 0;
  bool joins = false;
  for (std::size_t i = begin; i < end;) {
    const std::size_t next = word_end(i);
    if (next == i || is_digit(text_[i])) {
      if (text_[i] != ' ') words = 0;
      ++i;
      continue;
    }
    joins = joins || kJoining.has(text_.substr(i, next - i));
    if (++words >= 3 && joins) return true;
    i = next;
  }
  return false;
}

// assert(x > 0): what C has, too; it compares names and numbers and says why.
bool PhpReader::states_condition(std::size_t begin, std::size_t open, std::size_t close) const noexcept {
  const std::string_view condition = text_.substr(open + 1, close - open - 1);
  if (!iequals(text_.substr(begin, 6), "assert") || condition.find_first_of("<>=!") == condition.npos)
    return false;
  bool behind_word = false;
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const char c = condition[i];
    if (c == ' ') continue;
    const bool word = is_name_byte(c);
    if (behind_word && (word || c == '"') && condition[i - 1] == ' ') return false;
    behind_word = word;
    if (c == '"') {  // "the count must be positive"
      i = condition.find_first_of("\"\\${", i + 1);
      if (i == condition.npos || condition[i] != '"') return false;
    } else if (!word && std::string_view("<>=!.-+*/%&|").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

// if (err) die('x'); open(f) or die("no file"): behind a condition or a call, a program ends with a message,
// in which nothing is called.
bool PhpReader::ends_program(std::size_t begin, std::size_t argument, std::size_t close) const noexcept {
  const std::size_t end = text_.find(text_[argument], argument + 1);
  if (end == text_.npos || behind_gap(end + 1) != close) return false;
  const std::string_view message = text_.substr(argument, end - argument);
  const std::string_view lead = text_.substr(0, begin);
  if (message.find_first_of("${`\\") != message.npos || lead.find_first_of("'\"`|&?") != lead.npos)
    return false;
  std::size_t gap = before_gap(begin);
  const bool either = gap > 2 && iequals(text_.substr(gap - 2, 2), "or") && is_space(text_[gap - 3]);
  if (either) gap = before_gap(gap - 2);
  const bool behind = before(gap) == ')' || (either && is_name_byte(before(gap)));
  return behind && is_alpha(at(text_.find_first_not_of(" \t$@"))) && !breaks_out(begin, close);
}

// Ordinary words, and functions of other languages: with an argument that is a constant or a variable, or all
// of the value.
bool PhpReader::strong_call(Use use, std::size_t begin, std::size_t end, std::size_t open,
                            std::size_t close) const noexcept {
  const std::size_t argument = behind_gap(open + 1);
  const char c = at(argument);
  const bool spaced = open > end && !starts_text(begin);
  if (meets(use, Use::kEvaluates) && asks_for_variable(text_, text_.substr(begin, end - begin), open))
    return false;
  if (quote(argument) || one_of(c, "$`@")) {
    const bool message = meets(use, Use::kPrints) && quote(argument) && close != kNowhere;
    return !spaced && !(message && ends_program(begin, argument, close)) && goes_on(close);
  }
  const std::size_t lead = before_gap(begin);
  const bool statement =
      before(lead) == ';' || (lead < begin && meets(use_of(word_before(lead)), Use::kLead));
  if ((statement || breaks_out(begin, close)) && is_php_argument(argument)) return goes_on(close);
  if (breaks_out(begin, close)) return c != ')';
  if (!starts_text(begin) || close == kNowhere || !ends_text(close + 1)) return false;
  if (is_prose(open + 1, close) || (word_end(begin) - begin == 6 && states_condition(begin, open, close)))
    return false;
  // eval(code) runs nothing: a bare word is a constant, and one word of code no statement.
  const bool constant = behind_gap(word_end(argument)) == close;
  return meets(use, Use::kRuns) && c != ')' && !(constant && meets(use, Use::kEvaluates));
}

bool PhpReader::ordinary_call(std::string_view name, Use use, std::size_t begin, std::size_t open,
                              std::size_t close) const noexcept {
  // {${sleep(5)}}: inside of a string, where PHP calls what names a variable.
  if (begin >= 3 && text_.substr(begin - 3, 3) == "{${") return true;
  // chr(115).chr(121)
  if (iequals(name, "chr") && close != kNowhere) {
    const std::size_t dot = behind_gap(close + 1);
    const std::size_t next = behind_gap(dot + 1);
    if (is_digit(at(behind_gap(open + 1))) && at(dot) == '.' && istarts_with(text_.substr(next), "chr"))
      return true;
  }
  if (at(open - 1) == ' ') return false;
  if (meets(use, Use::kPrints | Use::kDigest) && breaks_out(begin, close)) return true;
  if (meets(use, Use::kDigest) && is_printed(begin, open, close)) return true;
  // print(md5(31337)); as all of the value, ;print(md5(31337)); behind the end of a statement
  std::size_t inner = behind_gap(open + 1);
  if (at(inner) == '@') ++inner;
  const std::size_t inner_end = word_end(inner);
  return meets(use, Use::kPrints) && begins_statement(begin) && at(inner_end) == '(' &&
         meets(use_of(text_.substr(inner, inner_end - inner)), Use::kDigest) &&
         (close == kNowhere || ends_text(close + 1));
}

// include $x, require_once('http://…'), include "php://…"
void PhpReader::read_include(std::size_t begin, std::size_t end) {
  std::size_t file = behind_gap(end);
  if (at(file) == '(') file = behind_gap(file + 1);
  if (file == end && !quote(file)) return;
  if (at(file) == '@') ++file;
  const bool variable = at(file) == '$' && word_byte(at(file + 1));
  if ((!variable && !quote(file)) || !expression_start(begin)) return;
  std::string_view name = text_.substr(file + 1, 32);
  name = name.substr(0, name.find(at(file)));
  static constexpr WordSet kUploads({"jpg", "jpeg", "png", "gif", "webp", "bmp", "ico", "svg", "txt", "log",
                                     "pdf", "zip", "csv", "tmp", "dat"});
  const bool statement = stands_alone(begin);
  // What an upload or a log left, as code: no program includes it.
  const std::size_t dot = name.rfind('.');
  const bool upload =
      statement && dot != name.npos && kUploads.has(name.substr(dot + 1)) && name.find('/') != name.npos;
  if (variable || upload || name.find("://") != std::string_view::npos || istarts_with(name, "data:"))
    add(PhpEvidence::kIncludes, Certainty::kCertain, begin, file + 16);
}

// new ReflectionFunction('system'), FFI::cdef(…), Closure::fromCallable(…)
void PhpReader::read_class(std::string_view name, std::size_t begin, std::size_t end) {
  const std::size_t sign = behind_gap(end);
  if (at(sign) == ':' && at(sign + 1) == ':') {
    const std::size_t method = behind_gap(sign + 2);
    const std::size_t open = word_end(method);
    if (open > method && at(behind_gap(open)) == '(')
      add(PhpEvidence::kUsesClass, Certainty::kCertain, begin, open + 1, name);
    return;
  }
  if (at(sign) != '(' || at(behind_gap(sign + 1)) == ')') return;
  std::size_t made = begin;
  if (before(made) == '\\') --made;
  const std::size_t keyword = before_gap(made);
  if (keyword < begin && iequals(word_before(keyword), "new"))
    add(PhpEvidence::kUsesClass, Certainty::kCertain, keyword - 3, sign + 1, name);
}

// 'system'('id'), array_map('system', …), usort($x, 'system')
void PhpReader::read_quoted(std::string_view name, Use use, std::size_t begin, std::size_t end) {
  if (at(end + 1) == '(') add(PhpEvidence::kMadeCall, Certainty::kCertain, begin - 1, end + 2, name);
  if (!meets(use, Use::kNamed) || !runs_here(begin)) return;
  const std::size_t next = behind_gap(end + 1);
  const std::string_view runner = text_.substr(runner_, runner_open_ - runner_);
  const std::size_t previous = before_gap(begin - 1);
  const bool callback = at(next) == ',' ? runner.find('_') != std::string_view::npos
                                        : at(next) == ')' && before(previous) == ',';
  if (callback) add(PhpEvidence::kRunsInput, Certainty::kCertain, runner_, end + 1);
}

void PhpReader::read_directive(std::size_t begin, std::size_t end) {
  const std::size_t begin_gap = before_gap(begin);
  const bool option =
      begin_gap >= 2 && text_[begin_gap - 1] == 'd' && ends_with_dash(text_.substr(0, begin_gap - 1));
  const bool line = begin == 0 || begin_gap == 0 || one_of(text_[begin_gap - 1], "&?;'\"") ||
                    text_.substr(begin_gap, begin - begin_gap).find('\n') != std::string_view::npos;
  if (!option && !line) return;
  const DirectiveRow* row = nullptr;
  if (at(end) == '.' && word_byte(at(end + 1))) {
    row = kDirectives.find(text_.substr(begin, end + 1 - begin));
    end = word_end(end + 1);
  } else {
    row = kDirectives.find(text_.substr(begin, end - begin));
  }
  const std::size_t sign = behind_gap(end);
  if (row == nullptr || at(sign) != '=' || one_of(at(sign + 1), "=>")) return;
  const bool plain = text_.substr(end, sign - end).find_first_of("/#") == std::string_view::npos;
  if (option || row->of == Of::kOwn)
    add(PhpEvidence::kSets, option ? Certainty::kCertain : Certainty::kLikely, begin, sign + 1,
        text_.substr(begin, end - begin));
  else if (begin_gap == 0 && plain && configuration_value(text_.substr(sign + 1)))
    add(PhpEvidence::kSets, Certainty::kPossible, begin, sign + 1, text_.substr(begin, end - begin));
}

}  // namespace wafd::detect::php
