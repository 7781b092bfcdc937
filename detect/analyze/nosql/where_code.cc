#include "detect/analyze/nosql/where_code.h"

#include <algorithm>

#include "detect/analyze/nosql/cursor.h"
#include "detect/core/byte_finder.h"

namespace wafd::detect::nosql {
namespace {

constexpr std::size_t kBeforeThis = 40;    // bytes of a condition up to the document it is about
constexpr std::size_t kMaxConstant = 128;  // of a string that is compared

// this.a, this['a'], Object.keys(this), tojson(this)
bool names_document(std::string_view condition) noexcept {
  for (std::size_t i = 0; i < condition.size() && i < kBeforeThis; ++i) {
    if ((i == 0 || !is_name_byte(condition[i - 1])) && condition.substr(i).starts_with("this")) {
      const std::size_t sign = skip_space(condition, i + 4);
      return sign < condition.size() &&
             std::string_view(".[)").find(condition[sign]) != std::string_view::npos;
    }
    if (!is_name_byte(condition[i]) && std::string_view(".!( ").find(condition[i]) == std::string_view::npos)
      return false;
  }
  return false;
}

// '1'=='1, 1===1: with operators that JavaScript has and SQL has not.
bool compares_constant(std::string_view text) noexcept {
  text = text.substr(0, kMaxConstant);
  std::size_t i = 0;
  if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
    i = text.find(text[0], 1);
    if (i == std::string_view::npos) return false;
    ++i;
  } else {
    while (i < text.size() && is_digit(text[i])) ++i;
    if (i == 0) return false;
  }
  i = skip_space(text, i);
  return text.substr(i, 2) == "==" || text.substr(i, 2) == "!=";
}

// Whether a condition returns a value; "5; return policy" is a list of words.
bool returns_value(std::string_view rest) noexcept {
  const std::size_t begin = skip_space(rest, 0);
  if (begin >= rest.size()) return false;
  if (!is_alpha(rest[begin]))
    return is_digit(rest[begin]) || std::string_view("(!'\"").find(rest[begin]) != std::string_view::npos;
  const std::string_view word = word_at(rest, begin);
  const char sign = begin + word.size() < rest.size() ? rest[begin + word.size()] : '\0';
  return begin > 0 && (word == "true" || word == "false" || sign == '.' || sign == '[' || sign == '=');
}

class Finder {
 public:
  Finder(std::string_view text, std::uint8_t behind_quote, std::uint8_t whole, EvidenceList& out) noexcept
      : text_(text), quote_kind_(behind_quote), whole_kind_(whole), out_(out) {}

  void run() {
    one_line_ = text_.find('\n') == std::string_view::npos;
    quotes();
    if (!one_line_) return;
    behind_constant();
    match_of_field();
    busy_loop();
  }

 private:
  // A quote that nothing opened. Between two letters it is an apostrophe.
  void quotes() {
    bool open[2] = {false, false};
    bool first = true;
    static constexpr ByteFinder kQuotes("'\"");
    for (std::size_t at = kQuotes.find(text_, 0); at < text_.size(); at = kQuotes.find(text_, at + 1)) {
      if (at > 0 && at + 1 < text_.size() && is_alpha(text_[at - 1]) && is_alpha(text_[at + 1])) continue;
      bool& inside = open[text_[at] == '"' ? 1 : 0];
      if (!inside) behind_quote(at, first);
      inside = !inside;
      first = false;
    }
  }

  void behind_quote(std::size_t at, bool first) {
    std::size_t i = skip_space(text_, at + 1);
    while (i < text_.size() && (text_[i] == ')' || text_[i] == '}' || text_[i] == ']'))
      i = skip_space(text_, i + 1);
    const std::string_view rest = text_.substr(i);
    if (rest.empty() || !goes_on(rest, i)) return;
    out_.add(quote_kind_, first ? Certainty::kCertain : Certainty::kLikely, at, text_.size(),
             trim(rest.substr(0, kBeforeThis)));
  }

  bool goes_on(std::string_view rest, std::size_t at) {
    if (rest.starts_with("||") || rest.starts_with("&&")) {
      const std::string_view condition = rest.substr(skip_space(rest, 2));
      return names_document(condition) || compares_constant(condition);
    }
    if (rest[0] == ';') {
      const std::string_view statement = rest.substr(skip_space(rest, 1));
      return istarts_with(statement, "return ") || istarts_with(statement, "return(") ||
             istarts_with(statement, "while(") || istarts_with(statement, "sleep(");
    }
    // $where: "this.a == '" + value + "'"; the function keeps the database busy.
    if (!istarts_with(rest, "(function(")) return false;
    if (last_while_ == 0) last_while_ = text_.rfind("while") + 1;  // npos + 1 is 0
    return last_while_ > at;
  }

  // 1 || Object.keys(this)[0].match('^i'), true; return db.getName()=='x'
  void behind_constant() {
    Cursor cursor{text_};
    const std::string_view value = cursor.word();
    const bool constant = !value.empty() && (value.find_first_not_of("0123456789") == value.npos ||
                                             value == "true" || value == "false" || value == "null");
    if (!constant) return;
    bool found = false;
    if (cursor.sign("||") || cursor.sign("&&")) {
      found = names_document(text_.substr(skip_space(text_, cursor.at)));
    } else if (cursor.sign(';')) {
      const std::string_view statement = text_.substr(skip_space(text_, cursor.at));
      found = statement.starts_with("sleep(") ||
              (statement.starts_with("return") && returns_value(statement.substr(6)));
    }
    if (found)
      out_.add(whole_kind_, Certainty::kCertain, 0, text_.size(), trim(text_.substr(0, kBeforeThis)));
  }

  // this.password.match(/^a/) and nothing else, or behind || and &&
  void match_of_field() {
    for (std::size_t at = text_.find("this."); at != std::string_view::npos;
         at = text_.find("this.", at + 5)) {
      const std::string_view name = word_at(text_, at + 5);
      const std::size_t end = at + 5 + name.size();
      if (name.empty() || !text_.substr(end).starts_with(".match(/")) continue;
      std::size_t before = at;
      while (before > 0 && std::string_view(" (!").find(text_[before - 1]) != std::string_view::npos)
        --before;
      const std::string_view sign = text_.substr(before > 1 ? before - 2 : 0, 2);
      const bool condition = before > 1 && (sign == "||" || sign == "&&");
      const bool whole = before == 0 && text_.find(';') == std::string_view::npos;
      if (whole || condition)
        return out_.add(whole_kind_, whole ? Certainty::kCertain : Certainty::kLikely, at, end + 8, name);
    }
  }

  // do{c=new Date();}while(c-d<5000) in one line: the answer comes late if the database runs it.
  void busy_loop() {
    const std::size_t loop = ifind(text_, "do{");
    if (loop == std::string_view::npos) return;
    const std::size_t end = ifind(text_, "}while(", loop);
    if (end == std::string_view::npos ||
        ifind(text_.substr(0, end), "new date(", loop) == std::string_view::npos)
      return;
    out_.add(whole_kind_, Certainty::kCertain, loop, end + 7, "a loop that waits");
  }

  std::string_view text_;
  const std::uint8_t quote_kind_;
  const std::uint8_t whole_kind_;
  EvidenceList& out_;
  bool one_line_ = false;
  std::size_t last_while_ = 0;
};

}  // namespace

void find_where_code(std::string_view text, std::uint8_t behind_quote, std::uint8_t whole,
                     EvidenceList& out) {
  Finder(text, behind_quote, whole, out).run();
}

}  // namespace wafd::detect::nosql
