#include "detect/analyze/sql/sqli_look.h"

#include "detect/analyze/sql/sqli_words.h"
#include "detect/core/octet_finder.h"
#include "detect/core/octets.h"
#include "detect/core/word_runs.h"

namespace wafd::detect::sqli {
namespace {

constexpr OctetFinder kControls(
    "\x7f"
    "\1\2\3\4\5\6\7\x08\x0e\x0f\x10\x11\x12\x13\x14\x15"
    "\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f");
constexpr std::size_t kMaxCommentBytes = 128;  // to the end of its line, before a statement
constexpr std::size_t kVersionDigits = 6;      // of /*!50000

bool is_white(char c) noexcept { return octet(c) <= 0x20; }

// Whether a comment begins at `at`, which may hide what follows: then everything is read.
bool is_comment(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return false;
  const char second = at + 1 < text.size() ? text[at + 1] : '\0';
  return text[at] == '#' || (text[at] == '/' && second == '*') || (text[at] == '-' && second == '-');
}

// The word behind white space, quotes and brackets from `at`; empty if a comment comes first.
std::string_view next_word(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && !is_alnum(text[at]) && text[at] != '_' && !is_comment(text, at)) ++at;
  std::size_t end = at;
  while (end < text.size() && (is_alnum(text[end]) || text[end] == '_' || text[end] == '$')) ++end;
  return text.substr(at, end - at);
}

// Whether `wanted` holds for the word or, if digits stand before it, for what is left of it behind letters of
// a number: 0x1funion, 1e0select.
template <class Wanted>
bool any_reading(std::string_view text, std::size_t begin, std::size_t end, Wanted&& wanted) {
  if (wanted(begin, end)) return true;
  if (begin == 0 || !is_digit(text[begin - 1])) return false;
  for (std::size_t i = begin; i + 1 < end && (hex_value(text[i]) >= 0 || to_lower(text[i]) == 'x'); ++i) {
    if (wanted(i + 1, end)) return true;
  }
  return false;
}

// Words that are looked for anywhere, not only where a value is continued; each with the sign or word that
// must be next to it or before it, so that prose and programs that use the word cost nothing.
class Search {
 public:
  explicit Search(std::string_view text) noexcept : text_(text) {}

  bool is_strong(std::size_t begin, std::size_t end) noexcept {
    return may_count_anywhere(text_.substr(begin, end - begin)) && counts(begin, end);
  }

 private:
  bool counts(std::size_t begin, std::size_t end) noexcept {
    const WordInfo& info = word_info(text_.substr(begin, end - begin));
    if (info.text.empty()) return false;
    std::size_t next = end;
    while (next < text_.size() && is_white(text_[next])) ++next;
    const char sign = next < text_.size() ? text_[next] : '\0';
    const bool comment = is_comment(text_, next);
    const bool named =
        is_alpha(sign) || octet(sign) >= 0x80 || sign == '_' || sign == '`' || sign == '"' || comment;
    if (info.use >= Use::kDelay) return info.distinctive || sign == '(' || comment;
    if (info.text == "exp") return sign == '(' || comment;
    switch (info.word) {
      case Word::kSelect:
        return std::string_view("=:<>.,;)]}").find(sign) == std::string_view::npos &&
               (union_ || begins_query(begin));
      case Word::kOutfile:
      case Word::kDumpfile:
        return comment || begins_string(next);
      case Word::kAnalyse:
      case Word::kWaitfor:
      case Word::kExec:
        return true;
      case Word::kCopy:
        copy_ = copy_ || named;
        return named && begins_statement(begin);
      case Word::kProgram:
        return copy_;
      case Word::kLoad:
        load_ = load_ || named;
        return named && begins_statement(begin);
      case Word::kInfile:
        return load_;
      case Word::kFrom: {
        const std::string_view name = next_word(text_, end);
        return name.empty() || is_telling_object(name);
      }
      default:
        break;
    }
    if (info.part == Part::kUnion) union_ = true;
    if (info.part == Part::kCase) {
      const std::string_view word = next_word(text_, end);
      return word.empty() || iequals(word, "when");
    }
    return info.part == Part::kStatement && begins_statement(begin);
  }

  // 'x'  "x"  $$x$$  _utf8'x'
  bool begins_string(std::size_t at) const noexcept {
    if (at < text_.size() && std::string_view("'\"`$").find(text_[at]) != std::string_view::npos) return true;
    while (at < text_.size() && (is_alnum(text_[at]) || text_[at] == '_')) ++at;
    return at < text_.size() && text_[at] == '\'';
  }

  // Where the octet before the word ends, with white space and the version of /*!50000 left out.
  std::size_t before(std::size_t begin) const noexcept {
    const std::size_t digits = begin > kVersionDigits ? begin - kVersionDigits : 0;
    std::size_t at = begin;
    while (at > 0 && is_white(text_[at - 1])) --at;
    std::size_t number = at;
    while (number > digits && is_digit(text_[number - 1])) --number;
    return number > 0 && text_[number - 1] == '!' ? number : at;
  }

  // A second statement: behind a semicolon, or a comment behind that, or the mark of one that runs.
  bool begins_statement(std::size_t begin) const noexcept {
    const std::size_t end = before(begin);
    if (end == 0) return false;
    const char sign = text_[end - 1];
    return sign == ';' || sign == '!' || (end > 1 && sign == '/' && text_[end - 2] == '*') ||
           (begins_line(end, begin) && ends_in_comment(end));
  }

  // Or a query inside of another; or the first word of all, or of a line, behind a comment perhaps.
  bool begins_query(std::size_t begin) const noexcept {
    const std::size_t end = before(begin);
    return end == 0 || text_[end - 1] == '(' || begins_line(end, begin) || begins_statement(begin);
  }

  bool begins_line(std::size_t end, std::size_t begin) const noexcept {
    return text_.substr(end, begin - end).find('\n') != std::string_view::npos;
  }

  // The line up to `end` holds ;# or ;--
  bool ends_in_comment(std::size_t end) const noexcept {
    const std::size_t from = end > kMaxCommentBytes ? end - kMaxCommentBytes : 0;
    std::string_view line = text_.substr(from, end - from);
    line.remove_prefix(line.rfind('\n') + 1);  // npos + 1 is 0
    for (std::size_t sign = line.find(';'); sign != line.npos; sign = line.find(';', sign + 1)) {
      if (is_comment(line, skip_space(line, sign + 1))) return true;
    }
    return false;
  }

  std::string_view text_;
  // Seen before, without which other words mean nothing.
  bool union_ = false;
  bool copy_ = false;
  bool load_ = false;
};

}  // namespace

Look look_at(std::string_view text) noexcept {
  Look look;
  look.quote = text.find('\'') != std::string_view::npos;
  look.doubled = text.find('"') != std::string_view::npos;
  look.backtick = text.find('`') != std::string_view::npos;
  look.noisy = kControls.find(text, 0) != text.size();
  Search search(text);
  const auto strong = [&](std::size_t begin, std::size_t end) { return search.is_strong(begin, end); };
  look.strong = any_word(
      text, [&](std::size_t begin, std::size_t end) { return any_reading(text, begin, end, strong); });
  return look;
}

bool holds_sql(std::string_view text) noexcept {
  for (const std::string_view sign : {";", "||", "&&", "::"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  const bool calls = text.find('(') != std::string_view::npos;
  const auto known = [&](std::size_t begin, std::size_t end) {
    const WordInfo& info = word_info(text.substr(begin, end - begin));
    return info.part != Part::kName || (calls && info.use != Use::kNone);
  };
  return any_word(text,
                  [&](std::size_t begin, std::size_t end) { return any_reading(text, begin, end, known); });
}

}  // namespace wafd::detect::sqli
