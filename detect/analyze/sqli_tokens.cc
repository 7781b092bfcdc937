#include "detect/analyze/sqli_tokens.h"

#include <algorithm>
#include <iterator>

#include "detect/core/octets.h"

namespace wafd::detect::sqli {
namespace {

// How far an opening is searched for its end where missing it is not the end of the text: keeps the walk
// linear.
constexpr std::size_t kMaxLookahead = 1024;
constexpr std::size_t kMaxNameBytes = 128;

// Every dialect's white space together: ASCII controls (MSSQL takes all of them), space, the no-break space
// of Latin-1.
bool is_white(char c) noexcept { return octet(c) <= 0x20 || octet(c) == 0xA0; }
bool is_word_start(char c) noexcept { return is_alpha(c) || c == '_' || octet(c) >= 0x80; }
bool is_word(char c) noexcept { return is_word_start(c) || is_digit(c) || c == '$'; }

std::string_view trim_white(std::string_view text) noexcept {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  return text;
}

// Types that a value is cast to.
bool is_type(std::string_view name) noexcept {
  static constexpr std::string_view kTypes[] = {
      "int",   "integer", "int4",    "int8",    "bigint", "smallint", "numeric",  "decimal",
      "float", "double",  "text",    "varchar", "char",   "bytea",    "regclass", "json",
      "jsonb", "xml",     "boolean", "bool",    "date",   "uuid",     "name",     "timestamp"};
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](std::string_view type) { return iequals(name, type); });
}

// Words that a comment without a version number is not opened with in licences ("/*! For ...").
bool runs_in_comment(const WordInfo& info) noexcept {
  switch (info.word) {
    case Word::kSelect:
    case Word::kUnion:
    case Word::kFrom:
    case Word::kWhere:
    case Word::kOrder:
    case Word::kGroup:
    case Word::kInto:
    case Word::kInsert:
    case Word::kUpdate:
    case Word::kDelete:
    case Word::kDrop:
      return true;
    default:
      return info.part == Part::kLogic;
  }
}

class Tokenizer {
 public:
  Tokenizer(std::string_view text, Dialect dialect, TokenStream& out)
      : text_(text), dialect_(dialect), out_(out) {}

  void run(std::size_t from, Quote quote, std::size_t max_tokens) {
    out_.clear();
    at_ = from;
    out_.next = text_.size();
    if (quote != Quote::kNone && !find_break(quote)) return;
    while (at_ < text_.size() && out_.tokens.size() < max_tokens) next();
    out_.next = std::min(at_, text_.size());
  }

 private:
  // A lone A0 is the no-break space of Latin-1; behind another high octet it belongs to a UTF-8 character.
  bool lone_nbsp(std::size_t at) const noexcept {
    return octet(text_[at]) == 0xA0 && (at == 0 || octet(text_[at - 1]) < 0x80);
  }
  std::size_t word_end(std::size_t at) const noexcept {
    while (at < text_.size() && is_word(text_[at]) && !lone_nbsp(at)) ++at;
    return at;
  }

  char peek(std::size_t ahead) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(Kind kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.begin = static_cast<std::uint32_t>(at_);
    token.end = static_cast<std::uint32_t>(at_ + length);
    token.first = text_[at_];
    out_.tokens.push_back(token);
    at_ += length;
  }

  // The first quote that is not doubled, and in MySQL not escaped; if there is none, the first of all. An
  // application that adds backslashes doubles those of the attacker, so the other dialects' reading takes the
  // escaped one.
  bool find_break(Quote quote) {
    const char c = quote == Quote::kSingle ? '\'' : quote == Quote::kDouble ? '"' : '`';
    const std::size_t first = text_.find(c);
    if (first == std::string_view::npos) return false;
    const bool escapes = dialect_ == Dialect::kMysql;
    if (escapes && text_.substr(0, first).find('\\') != std::string_view::npos) out_.ambiguous = true;
    std::size_t found = escapes ? 0 : first;
    while (found < text_.size()) {
      if (escapes && text_[found] == '\\') {
        found += 2;
      } else if (text_[found] != c) {
        found = escapes ? found + 1 : std::min(text_.find(c, found), text_.size());
      } else if (found + 1 < text_.size() && text_[found + 1] == c) {
        found += 2;
      } else {
        break;
      }
    }
    at_ = found >= text_.size() ? first : found;
    add(Kind::kBreak, 1);
    return true;
  }

  void next() {
    const char c = text_[at_];
    if (is_white(c)) {
      ++at_;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '\'' || c == '"') {
      string(at_);
    } else if (is_word_start(c)) {
      word();
    } else if (c == '[' && dialect_ == Dialect::kAnsi && subscript()) {
      return;
    } else if (c == '`' || (c == '[' && dialect_ == Dialect::kAnsi)) {
      quoted_name(c == '`' ? '`' : ']');
    } else {
      symbol(c);
    }
  }

  // --- comments
  // ------------------------------------------------------------------------------------------------

  void block_comment() {
    std::size_t content = at_ + 2;
    if (dialect_ == Dialect::kMysql && peek(2) == '!') {
      out_.ambiguous = true;
      ++content;
      std::size_t digits = 0;
      while (digits < 6 && content < text_.size() && is_digit(text_[content])) ++content, ++digits;
      // Its content runs; the "*/" that ends it is skipped where it comes.
      ++open_versions_;
      std::size_t end = content;
      while (end < text_.size() && is_white(text_[end])) ++end;
      const std::size_t word_begin = end;
      while (end < text_.size() && is_word(text_[end])) ++end;
      const WordInfo& info = word_info(text_.substr(word_begin, end - word_begin));
      if (digits >= 5 ? info.part != Part::kName : runs_in_comment(info)) {
        out_.version_comment = true;
        out_.version_begin = static_cast<std::uint32_t>(at_);
      }
      at_ = content;
      return;
    }
    std::size_t end = text_.find("*/", content);
    if (dialect_ == Dialect::kAnsi && nesting_ && end != std::string_view::npos) end = nested_end(content);
    if (end == std::string_view::npos) {
      add(Kind::kOpenComment, text_.size() - at_);
      return;
    }
    ++out_.comments;
    at_ = end + 2;
  }

  // Where the comment whose content begins at `from` ends if comments nest; if they do not balance, the first
  // "*/".
  std::size_t nested_end(std::size_t from) noexcept {
    std::size_t depth = 1;
    for (std::size_t i = from; i + 1 < text_.size(); ++i) {
      if (text_[i] == '/' && text_[i + 1] == '*')
        ++depth, ++i;
      else if (text_[i] == '*' && text_[i + 1] == '/') {
        if (--depth == 0) return i;
        ++i;
      }
    }
    nesting_ = false;  // not looked for again, so that the walk stays linear
    return text_.find("*/", from);
  }

  void line_comment(std::size_t marker) {
    // On the next line the statement goes on; a comment is the end only if nothing comes behind it.
    const std::size_t end = text_.find('\n', at_);
    if (end != std::string_view::npos && !trim_white(text_.substr(end, kMaxLookahead)).empty()) {
      ++out_.comments;
      at_ = end + 1;
      return;
    }
    add(Kind::kLineComment, marker);
    at_ = text_.size();
  }

  // --- values
  // --------------------------------------------------------------------------------------------------

  void number() {
    std::size_t i = at_;
    const auto digits = [&] {
      while (i < text_.size() && is_digit(text_[i])) ++i;
    };
    if (text_[i] == '0' && (peek(1) == 'x' || peek(1) == 'X') && hex_value(peek(2)) >= 0) {
      i += 2;
      while (i < text_.size() && hex_value(text_[i]) >= 0) ++i;
    } else if (text_[i] == '0' && (peek(1) == 'b' || peek(1) == 'B') && (peek(2) == '0' || peek(2) == '1')) {
      i += 2;
      while (i < text_.size() && (text_[i] == '0' || text_[i] == '1')) ++i;
    } else {
      digits();
      if (i < text_.size() && text_[i] == '.') {
        ++i;
        digits();
      }
      if (i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
        std::size_t j = i + 1;
        if (j < text_.size() && (text_[j] == '+' || text_[j] == '-')) ++j;
        if (j < text_.size() && is_digit(text_[j])) {
          i = j;
          digits();
        } else if (text_[i - 1] == '.' && (j >= text_.size() || !is_word(text_[j]))) {
          // MySQL takes "1.e" in front of a parenthesis, a comma or a dot as nothing at all.
          out_.glued = true;
          at_ = j;
          return;
        }
      }
    }
    const std::size_t length = i - at_;
    if (i < text_.size() && is_word_start(text_[i]) && !lone_nbsp(i)) {
      const std::size_t end = word_end(i);
      const Part part = word_info(text_.substr(i, end - i)).part;
      if (part == Part::kName) {
        // 3rd, 4x4, 7z: a name that begins with digits.
        name(end - at_, &word_info({}));
        return;
      }
      out_.glued = true;
    }
    add(Kind::kNumber, length);
  }

  // A string whose opening quote is at `open`; the token begins at at_ (there may be a prefix such as N or
  // _utf8).
  void string(std::size_t open) {
    const char quote = text_[open];
    std::size_t i = open + 1;
    for (; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        out_.ambiguous = true;
        if (dialect_ == Dialect::kMysql) ++i;
      } else if (text_[i] == quote) {
        if (i + 1 < text_.size() && text_[i + 1] == quote)
          ++i;
        else
          break;
      }
    }
    if (i >= text_.size())
      add(Kind::kOpenString, text_.size() - at_);
    else
      add(Kind::kString, i + 1 - at_);
  }

  void quoted_name(char close) {
    const std::size_t end = text_.find(close, at_ + 1);
    if (end == std::string_view::npos) {
      add(Kind::kOpenString, text_.size() - at_);
      return;
    }
    const WordInfo* info = &word_info(text_.substr(at_ + 1, end - at_ - 1));
    name(end + 1 - at_, info);
    out_.tokens.back().quoted = true;
  }

  // PostgreSQL's array['a','b'] and x[1], directly behind a name: part of the value.
  bool subscript() {
    if (out_.tokens.empty() || out_.tokens.back().kind != Kind::kWord || out_.tokens.back().end != at_)
      return false;
    const std::size_t close = text_.substr(at_ + 1, kMaxLookahead).find(']');
    if (close == std::string_view::npos) return false;
    at_ += close + 2;
    if (iequals(text_.substr(out_.tokens.back().begin, 5), "array")) out_.tokens.back().kind = Kind::kString;
    return true;
  }

  void name(std::size_t length, const WordInfo* info) {
    add(Kind::kWord, length);
    out_.tokens.back().info = info;
  }

  void word() {
    const std::size_t end = word_end(at_ + 1);
    const std::string_view spelled = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '\'' &&
        is_string_prefix(spelled, end + 1 < text_.size() ? text_[end + 1] : '\0')) {
      if (iequals(spelled, "q") && quote_literal(end)) return;
      string(end);
      return;
    }
    name(spelled.size(), &word_info(spelled));
  }

  // N'…', X'…', B'…', E'…', U&'…' and character sets: _latin1'…'.
  static bool is_string_prefix(std::string_view word, char next) noexcept {
    if (iequals(word, "x") || iequals(word, "b")) return hex_value(next) >= 0;
    return iequals(word, "n") || iequals(word, "e") || iequals(word, "q") ||
           (word.size() > 3 && word[0] == '_');
  }

  // Oracle: q'[…]'.
  bool quote_literal(std::size_t open) {
    if (open + 2 >= text_.size()) return false;
    const char c = text_[open + 1];
    const char closing[2] = {c == '[' ? ']' : c == '(' ? ')' : c == '{' ? '}' : c == '<' ? '>' : c, '\''};
    if (is_alnum(c) || is_white(c)) return false;
    const std::size_t end = text_.substr(open + 2, kMaxLookahead).find(std::string_view(closing, 2));
    if (end == std::string_view::npos) return false;
    add(Kind::kString, open + 2 + end + 2 - at_);
    return true;
  }

  // PostgreSQL: $$…$$ and $tag$…$tag$.
  bool dollar_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && end < at_ + 32 && is_alnum(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != '$') return false;
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const std::size_t close = text_.substr(end + 1, kMaxLookahead).find(tag);
    if (close == std::string_view::npos) return false;
    add(Kind::kString, end + 1 + close + tag.size() - at_);
    return true;
  }

  // --- operators
  // -------------------------------------------------------------------------------------------------

  void symbol(char c) {
    const char second = peek(1);
    switch (c) {
      case '/':
        if (second == '*') return block_comment();
        return add(Kind::kArithmetic, 1);
      case '*':
        if (second == '/' && open_versions_ > 0) {
          --open_versions_;
          at_ += 2;
          return;
        }
        return add(Kind::kArithmetic, 1);
      case '-':
        if (second == '-') {
          const bool spaced = at_ + 2 >= text_.size() || is_white(text_[at_ + 2]);
          if (!spaced) out_.ambiguous = true;
          if (spaced || dialect_ == Dialect::kAnsi) return line_comment(2);
          return add(Kind::kArithmetic, 1);
        }
        if (second == '>') return add(Kind::kArithmetic, peek(2) == '>' ? 3 : 2);
        return add(Kind::kArithmetic, 1);
      case '#':
        out_.ambiguous = true;
        if (dialect_ == Dialect::kMysql) return line_comment(1);
        if (second == '>') return add(Kind::kArithmetic, peek(2) == '>' ? 3 : 2);
        return add(Kind::kArithmetic, 1);
      case '|':
        return second == '|' ? add(Kind::kLogic, 2) : add(Kind::kArithmetic, 1);
      case '&':
        return second == '&' ? add(Kind::kLogic, 2) : add(Kind::kArithmetic, 1);
      case '<':
        if (second == '=' && peek(2) == '>') return add(Kind::kCompare, 3);
        if (second == '=' || second == '>' || second == '@') return add(Kind::kCompare, 2);
        return second == '<' ? add(Kind::kArithmetic, 2) : add(Kind::kCompare, 1);
      case '>':
        if (second == '=') return add(Kind::kCompare, 2);
        return second == '>' ? add(Kind::kArithmetic, 2) : add(Kind::kCompare, 1);
      case '=':
        return add(Kind::kCompare, second == '=' && peek(2) != '=' ? 2 : 1);
      case '!':
        if (second == '=') return add(Kind::kCompare, 2);
        if (second == '<' || second == '>') return add(Kind::kCompare, 2);  // MSSQL
        if (second == '~') return add(Kind::kCompare, peek(2) == '*' ? 3 : 2);
        return add(Kind::kArithmetic, 1);
      case '^':
        if (second == '=') return add(Kind::kCompare, 2);  // Oracle
        return add(Kind::kArithmetic, 1);
      case ':':
        if (second == '=') return add(Kind::kCompare, 2);
        if (second == ':') return cast();
        if (is_word_start(second)) return variable(1);
        return add(Kind::kOther, 1);
      case '@':
        if (second == '>') return add(Kind::kCompare, 2);
        return variable(second == '@' ? 2 : 1);
      case '~':
        return add(Kind::kArithmetic, 1);
      case '+':
      case '%':
        return add(Kind::kArithmetic, 1);
      case '(':
        return left();
      case ')':
        return right();
      case ',':
        return add(Kind::kComma, 1);
      case '.':
        return add(Kind::kDot, 1);
      case ';':
        return add(Kind::kSemicolon, 1);
      case '?': {
        // Behind a value an operator of PostgreSQL for JSON, else a parameter.
        const Kind before = out_.tokens.empty() ? Kind::kOther : out_.tokens.back().kind;
        const bool json = before == Kind::kString || before == Kind::kRight;
        if (json) return add(Kind::kCompare, second == '|' || second == '&' ? 2 : 1);
        return add(Kind::kVariable, 1);
      }
      case '{':
        return brace();
      case '}':
        if (braces_ > 0) {
          --braces_;
          ++at_;
          return;
        }
        return add(Kind::kOther, 1);
      case '$':
        if (dollar_string()) return;
        return add(Kind::kOther, 1);
      case '[':
        out_.ambiguous = true;
        return add(Kind::kOther, 1);
      default:
        return add(Kind::kOther, 1);
    }
  }

  void left() {
    open_.push_back(out_.tokens.size());
    add(Kind::kLeft, 1);
  }

  void right() {
    if (!open_.empty()) {
      out_.tokens[open_.back()].match = static_cast<std::int32_t>(out_.tokens.size());
      open_.pop_back();
    }
    add(Kind::kRight, 1);
  }

  // PostgreSQL's ::type says nothing to the grammar.
  void cast() {
    std::size_t end = at_ + 2;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
    if (end == at_ + 2) return add(Kind::kOther, 2);
    const Kind before = out_.tokens.empty() ? Kind::kOther : out_.tokens.back().kind;
    if (is_type(text_.substr(at_ + 2, end - at_ - 2)) && (before == Kind::kRight || before == Kind::kString))
      ++out_.casts;
    at_ = end;
  }

  void variable(std::size_t marker) {
    std::size_t end = at_ + marker;
    if (end < text_.size() && (text_[end] == '`' || text_[end] == '\'' || text_[end] == '"')) {
      const std::size_t close = text_.substr(end + 1, kMaxNameBytes).find(text_[end]);
      end = close == std::string_view::npos ? end : end + 1 + close + 1;
    }
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
    if (marker == 1 && end == at_ + 1) return add(text_[at_] == '@' ? Kind::kVariable : Kind::kOther, 1);
    add(Kind::kVariable, end - at_);
  }

  // MySQL, for ODBC: {name expression} is the expression.
  void brace() {
    std::size_t i = at_ + 1;
    while (i < text_.size() && is_white(text_[i])) ++i;
    const std::size_t word_begin = i;
    if (i < text_.size() && text_[i] == '`') {
      const std::size_t close = text_.substr(i + 1, kMaxNameBytes).find('`');
      if (close != std::string_view::npos) i += close + 2;
    }
    while (i < text_.size() && is_word(text_[i])) ++i;
    if (dialect_ == Dialect::kMysql && i > word_begin && i < text_.size() &&
        (is_white(text_[i]) || text_[i] == '(' || text_[i] == '/')) {
      ++braces_;
      out_.odbc_braces = true;
      at_ = i;
      return;
    }
    add(Kind::kOther, 1);
  }

  std::string_view text_;
  Dialect dialect_;
  TokenStream& out_;
  std::size_t at_ = 0;
  std::size_t open_versions_ = 0;
  std::size_t braces_ = 0;
  bool nesting_ = true;
  std::vector<std::size_t> open_;  // kLeft tokens without their kRight
};

}  // namespace

void TokenStream::clear() {
  tokens.clear();
  comments = 0;
  version_comment = false;
  version_begin = 0;
  glued = false;
  odbc_braces = false;
  casts = 0;
  ambiguous = false;
  next = 0;
}

void tokenize(std::string_view text, std::size_t from, Quote quote, Dialect dialect, std::size_t max_tokens,
              TokenStream& out) {
  Tokenizer(text, dialect, out).run(from, quote, max_tokens);
}

}  // namespace wafd::detect::sqli
