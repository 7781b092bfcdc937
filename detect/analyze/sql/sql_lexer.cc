#include "detect/analyze/sql/sql_lexer.h"

#include <algorithm>
#include <array>

#include "detect/analyze/sql/operators.tsv.h"
#include "detect/analyze/sql/words.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"

namespace wafd::detect::sql {
namespace {

// How far the end of a short thing (a name in brackets, a string with a tag) is looked for.
constexpr std::size_t kMaxLookahead = 512;
constexpr std::size_t kMaxFarLookups = 16;  // to the end of the text
constexpr std::size_t kMaxVersionDigits = 6;
constexpr std::size_t kMaxGluedBytes = 24;  // of a keyword that comments cut

enum class Class : std::uint8_t { kSymbol, kBlank, kDigit, kWord, kQuote, kHigh };
constexpr auto kClasses = []() {
  std::array<Class, 256> all{};
  for (std::size_t c = 0; c < all.size(); ++c) {
    const char sign = static_cast<char>(c);
    all[c] = c <= 0x20 || c == 0x7f       ? Class::kBlank
             : is_digit(sign)             ? Class::kDigit
             : is_alpha(sign) || c == '_' ? Class::kWord
             : c == '\'' || c == '"'      ? Class::kQuote
             : c >= 0x80                  ? Class::kHigh
                                          : Class::kSymbol;
  }
  return all;
}();
Class class_of(char c) noexcept { return kClasses[byte(c)]; }
bool begins_word(char c) noexcept { return class_of(c) == Class::kWord || class_of(c) == Class::kHigh; }
// Of the bytes of a word those from 0x80 on may be white space all the same.
enum class WordByte : std::uint8_t { kNone, kAscii, kHigh };
constexpr auto kWordBytes = []() {
  std::array<WordByte, 256> all{};
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Class kind = kClasses[c];
    const bool ascii = kind == Class::kWord || kind == Class::kDigit || c == '$';
    all[c] = kind == Class::kHigh ? WordByte::kHigh : ascii ? WordByte::kAscii : WordByte::kNone;
  }
  return all;
}();
bool is_word(char c) noexcept { return kWordBytes[byte(c)] != WordByte::kNone; }
// Bytes with which white space begins.
constexpr auto kMayBeBlank = []() {
  std::array<bool, 256> all{};
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = c <= 0x20 || c == 0x7f;
  for (const char c : std::string_view("\xa0\xc2\xe1\xe2\xe3\xef")) all[byte(c)] = true;
  return all;
}();

char sign_of(Quote quote) noexcept {
  return quote == Quote::kSingle ? '\'' : quote == Quote::kDouble ? '"' : '`';
}
const ByteFinder& ends_of(char quote) noexcept {
  static constexpr ByteFinder kSingle("'\\");
  static constexpr ByteFinder kDouble("\"\\");
  static constexpr ByteFinder kBacktick("`\\");
  return quote == '\'' ? kSingle : quote == '"' ? kDouble : kBacktick;
}

bool is_keyword(const WordRow* row) noexcept {
  return row != nullptr && row->part != Part::kName && row->part < Part::kType;
}

// selselectect: what is left is a keyword where a filter takes the same keyword out of it, once. A word of
// the kind is a a b b, where a b is the keyword.
const WordRow* doubled(std::string_view word) noexcept {
  // With what keywords of this kind begin and end.
  static constexpr auto kBegin = []() {
    std::array<bool, 256> bytes{};
    for (const WordRow& row : kWords.rows()) {
      if (is_taken_by_filters(row)) bytes[byte(row.text.front())] = true;
    }
    return bytes;
  }();
  static constexpr auto kEnd = []() {
    std::array<bool, 256> bytes{};
    for (const WordRow& row : kWords.rows()) {
      if (is_taken_by_filters(row)) bytes[byte(row.text.back())] = true;
    }
    return bytes;
  }();
  const std::size_t size = word.size() / 2;
  if (word.size() % 2 != 0 || size < 2 || word.size() > kMaxGluedBytes ||
      !kBegin[byte(to_lower(word.front()))] || !kEnd[byte(to_lower(word.back()))])
    return nullptr;
  const char first = to_lower(word[0]);
  for (std::size_t i = 1; i < size; ++i) {
    const std::size_t rest = size - i;
    if (to_lower(word[i]) != first || !iequals(word.substr(0, i), word.substr(i, i)) ||
        !iequals(word.substr(2 * i, rest), word.substr(2 * i + rest)))
      continue;
    const WordRow* row = kWords.find(word.substr(i, size));
    if (row != nullptr && is_taken_by_filters(*row)) return row;
  }
  return nullptr;
}

// An operator ends where a comment begins: '|/*!50000sleep*/(5)|' has none that is called |/ (PostgreSQL 15
// 4.1.3).
std::string_view until_comment(std::string_view signs) noexcept {
  constexpr std::size_t kMaxOperatorBytes = 4;
  for (std::size_t i = 1; i < std::min(signs.size(), kMaxOperatorBytes); ++i) {
    const std::string_view two = signs.substr(i, 2);
    if (two == "/*" || two == "--") return signs.substr(0, i);
  }
  return signs;
}

// Bytes that stand in an operator behind its first one.
constexpr ByteFinder kGoesOn = []() {
  std::array<char, 64> bytes{};
  std::size_t size = 0;
  for (const OperatorRow& row : kOperators) {
    for (const char c : row.text.substr(1)) {
      if (std::string_view(bytes.data(), size).find(c) == std::string_view::npos) bytes[size++] = c;
    }
  }
  return ByteFinder(std::string_view(bytes.data(), size));
}();
static_assert(kGoesOn.has('-') && kGoesOn.has('/'), "the signs of comments are among them");

// By its byte: the operator of one byte.
constexpr auto kOfOneByte = []() {
  std::array<const OperatorRow*, 256> all{};
  for (const OperatorRow& row : kOperators) {
    if (row.text.size() == 1) all[byte(row.text[0])] = &row;
  }
  return all;
}();

// The longest operator that `signs`, which are not empty, begin with, or null.
const OperatorRow* find_operator(std::string_view signs) noexcept {
  struct Range {
    std::uint8_t begin = 0;
    std::uint8_t end = 0;
  };
  static constexpr auto kByFirst = []() {
    std::array<Range, 128> ranges{};
    static_assert(std::size(kOperators) < 256);
    for (std::size_t i = 0; i < std::size(kOperators); ++i) {
      Range& range = ranges[byte(kOperators[i].text[0])];
      if (range.end == 0) range.begin = static_cast<std::uint8_t>(i);
      range.end = static_cast<std::uint8_t>(i + 1);
    }
    return ranges;
  }();
  const unsigned char first = byte(signs[0]);
  if (first >= kByFirst.size()) return nullptr;
  for (std::uint8_t i = kByFirst[first].begin; i < kByFirst[first].end; ++i) {
    if (signs.starts_with(kOperators[i].text)) return &kOperators[i];
  }
  return nullptr;
}

}  // namespace

bool hides_little(std::string_view hidden) noexcept {
  constexpr std::size_t kMaxLittleBytes = 256;
  static constexpr ByteFinder kSpace(std::string_view(" \t\r\n\0", 5));
  const std::size_t begin = kSpace.find_other(hidden, 0);
  const std::size_t end = kSpace.find(hidden, begin);
  if (end - begin > kMaxLittleBytes) return false;
  return kSpace.find_other(hidden, end) == hidden.size();
}

Lexer::Lexer(std::string_view text, Quote quote, Dialect dialect) noexcept : text_(text), dialect_(dialect) {
  if (quote != Quote::kNone) find_break(quote);
}

// The first quote that is not doubled, and in MySQL not escaped.
void Lexer::find_break(Quote quote) noexcept {
  const char c = sign_of(quote);
  const ByteFinder& ends = ends_of(c);
  std::size_t found = 0;
  while ((found = ends.find(text_, found)) < text_.size()) {
    if (text_[found] == '\\') {
      // Before anything but the quote a backslash changes nothing of where the string ends.
      ambiguous_ = ambiguous_ || (found + 1 < text_.size() && text_[found + 1] == c);
      found += dialect_ == Dialect::kMysql ? 2 : 1;
    } else if (found + 1 < text_.size() && text_[found + 1] == c) {
      found += 2;
    } else {
      break;
    }
  }
  break_ = found < text_.size();
  at_ = break_ ? found : text_.size() + 1;
}

// Bytes of the white space at `at`: ASCII controls (SQL Server takes all of them), the no-break space of
// Latin-1, Unicode's spaces.
std::size_t Lexer::blank_size(std::size_t at) const noexcept {
  const unsigned char c = byte(text_[at]);
  if (!kMayBeBlank[c]) return 0;
  if (c <= 0x20 || c == 0x7f) return 1;
  if (c == 0xa0) return 1;
  const auto then = [&](std::size_t ahead) {
    return at + ahead < text_.size() ? byte(text_[at + ahead]) : 0;
  };
  if (c == 0xc2) return then(1) == 0xa0 || then(1) == 0x85 ? 2 : 0;
  if (c == 0xe2) {
    const bool space =
        then(1) == 0x80 && (then(2) <= 0x8b || then(2) == 0xa8 || then(2) == 0xa9 || then(2) == 0xaf);
    return space || (then(1) == 0x81 && then(2) == 0x9f) ? 3 : 0;
  }
  if (c == 0xe3) return then(1) == 0x80 && then(2) == 0x80 ? 3 : 0;
  if (c == 0xe1) return then(1) == 0x9a && then(2) == 0x80 ? 3 : 0;
  return c == 0xef && then(1) == 0xbb && then(2) == 0xbf ? 3 : 0;
}

std::size_t Lexer::word_end(std::size_t at) const noexcept {
  for (; at < text_.size(); ++at) {
    const WordByte kind = kWordBytes[byte(text_[at])];
    if (kind == WordByte::kAscii) continue;
    if (kind == WordByte::kNone || (kMayBeBlank[byte(text_[at])] && blank_size(at) != 0)) break;
  }
  return at;
}

bool Lexer::skip_blank() noexcept {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const Class kind = class_of(c);
    if (kind == Class::kBlank) {
      ++at_;
    } else if (kind == Class::kHigh) {
      const std::size_t size = blank_size(at_);
      if (size == 0) return true;
      at_ += size;
    } else if (c == '-' || c == '#' || c == '/' || c == '*' || c == '{' || c == '}') {
      const std::size_t before = at_;
      if (!skip_comment()) return false;
      if (at_ == before) return true;
    } else {
      return true;
    }
  }
  return true;
}

bool Lexer::skip_comment() noexcept {
  switch (text_[at_]) {
    case '-':
      if (peek(1) != '-') return true;
      if (at_ + 2 < text_.size() && blank_size(at_ + 2) == 0) {
        ambiguous_ = true;
        if (dialect_ == Dialect::kMysql) return true;
      }
      return skip_line_comment(2);
    case '#':
      ambiguous_ = true;
      return dialect_ != Dialect::kMysql || skip_line_comment(1);
    case '/':
      return peek(1) != '*' || skip_block_comment();
    case '*':
      // Ends a comment for some versions, or one in which the text began.
      if (peek(1) == '/' && peek(2) != '*') {
        if (versions_ > 0) --versions_;
        at_ += 2;
      }
      return true;
    default:
      skip_brace();
      return true;
  }
}

bool Lexer::skip_line_comment(std::size_t marker) noexcept {
  std::size_t end = text_.find('\n', at_);
  // For PostgreSQL a carriage return ends the line, too (its lexical structure, 4.1.5).
  const std::string_view comment = text_.substr(at_, std::min(end, text_.size()) - at_);
  if (const std::size_t feed = comment.find('\r'); feed != comment.npos && feed + 1 < comment.size()) {
    ambiguous_ = true;
    if (dialect_ != Dialect::kMysql) end = at_ + feed;
  }
  const std::size_t behind = end == std::string_view::npos ? text_.size() : end + 1;
  std::size_t next = behind;
  while (next < text_.size() && blank_size(next) == 1) ++next;
  if (next == text_.size()) {
    hidden_ = text_.substr(at_ + marker, behind - at_ - marker);
    return false;
  }
  at_ = next;
  return true;
}

bool Lexer::skip_block_comment() noexcept {
  std::size_t content = at_ + 2;
  const char first = content < text_.size() ? text_[content] : '\0';
  const bool version = first == '!' || (to_lower(first) == 'm' && peek(3) == '!');
  if (version) {
    content += first == '!' ? 1 : 2;
    const std::size_t most = std::min(content + kMaxVersionDigits, text_.size());
    const std::size_t number = content;
    while (content < most && is_digit(text_[content])) ++content;
    ++versions_;
    // "/*! Licence" of scripts is no version.
    versioned_ = content > number || (content < text_.size() && begins_word(text_[content]));
    at_ = content;
    return true;
  }
  const std::size_t end = content >= no_comment_end_ ? std::string_view::npos : comment_end(content);
  if (end == std::string_view::npos) {
    no_comment_end_ = std::min(no_comment_end_, content);
    hidden_ = text_.substr(content);
    return false;
  }
  at_ = end + 2;
  return true;
}

// The "*/" that ends the comment whose content begins at `from`. Where comments nest it is the one of the
// outermost, if they balance.
std::size_t Lexer::comment_end(std::size_t from) noexcept {
  const std::size_t first = text_.find("*/", from);
  if (first == std::string_view::npos ||
      text_.substr(from, first - from).find("/*") == std::string_view::npos)
    return first;
  ambiguous_ = true;
  if (dialect_ == Dialect::kMysql || unbalanced_) return first;
  static constexpr ByteFinder kMarks("/*");
  std::size_t depth = 1;
  for (std::size_t i = kMarks.find(text_, from); i + 1 < text_.size(); i = kMarks.find(text_, i)) {
    const bool opens = text_.substr(i, 2) == "/*";
    const bool closes = text_.substr(i, 2) == "*/";
    depth += opens ? 1 : 0;
    depth -= closes ? 1 : 0;
    if (depth == 0) return i;
    i += opens || closes ? 2 : 1;
  }
  unbalanced_ = true;  // an error wherever comments nest
  return first;
}

// What ends something that began before `from`: an attack's strings are few, whatever their length.
std::size_t Lexer::find_end(std::string_view closing, std::size_t from) noexcept {
  const bool far = dialect_ != Dialect::kMysql && far_lookups_ < kMaxFarLookups;
  far_lookups_ += far ? 1 : 0;
  return (far ? text_ : text_.substr(0, from + kMaxLookahead)).find(closing, from);
}

// {name expression}, which MySQL takes from ODBC, is the expression.
bool Lexer::skip_brace() noexcept {
  if (text_[at_] == '}') {
    if (braces_ == 0) return false;
    --braces_;
    ++at_;
    return true;
  }
  const std::size_t begin = at_ + 1;
  if (begin >= text_.size() || !begins_word(text_[begin])) return false;
  const std::size_t end = word_end(begin);
  if (end >= text_.size() ||
      (blank_size(end) == 0 && std::string_view("`'/").find(text_[end]) == std::string_view::npos))
    return false;
  ++braces_;
  at_ = end;
  return true;
}

Token Lexer::made(TokenKind kind, std::size_t end) noexcept {
  Token token;
  token.kind = kind;
  token.begin = static_cast<std::uint32_t>(at_);
  token.end = static_cast<std::uint32_t>(end);
  token.hidden = versioned_ && versions_ > 0;
  at_ = end;
  last_ = kind;
  return token;
}

Token Lexer::next() noexcept {
  count_steps(40);
  if (break_) {
    break_ = false;
    return made(TokenKind::kBreak, at_ + 1);
  }
  before_blank_ = at_;
  if (!skip_blank()) return made(TokenKind::kComment, text_.size());
  if (at_ >= text_.size()) {
    at_ = text_.size();
    return made(TokenKind::kEnd, at_);
  }
  const char c = text_[at_];
  switch (class_of(c)) {
    case Class::kDigit:
      return number();
    case Class::kQuote:
      return c == '"' && quote_name_follows(at_) ? quoted_name('"') : string(at_);
    case Class::kWord:
    case Class::kHigh:
      return word();
    default:
      return symbol();
  }
}

Token Lexer::number() noexcept {
  std::size_t i = at_;
  const auto digits = [&] {
    while (i < text_.size() && is_digit(text_[i])) ++i;
  };
  const bool hex = text_[i] == '0' && to_lower(peek(1)) == 'x' && hex_value(peek(2)) >= 0;
  const bool bits = text_[i] == '0' && to_lower(peek(1)) == 'b' && (peek(2) == '0' || peek(2) == '1');
  if (hex || bits) {
    i += 2;
    while (i < text_.size() && hex_value(text_[i]) >= 0) ++i;
  } else {
    digits();
    if (i < text_.size() && text_[i] == '.') {
      ++i;
      digits();
    }
    if (i < text_.size() && to_lower(text_[i]) == 'e') {
      std::size_t j = i + 1;
      if (j < text_.size() && (text_[j] == '+' || text_[j] == '-')) ++j;
      if (j < text_.size() && is_digit(text_[j])) {
        i = j;
        digits();
      } else if (text_[i - 1] == '.' && (j >= text_.size() || !is_word(text_[j]))) {
        // "1.e" before a parenthesis, a comma or a full stop is nothing at all to MySQL.
        at_ = j;
        return next();
      }
    }
  }
  // 1union, 1dunion, 0x31or: a keyword directly behind; else it is a name that begins with digits: 3rd, 4x4.
  if (i < text_.size() && begins_word(text_[i]) && blank_size(i) == 0) {
    const std::size_t end = word_end(i);
    const std::string_view glued = text_.substr(i, end - i);
    const bool suffix = std::string_view("dfDF").find(glued[0]) != std::string_view::npos &&
                        (glued.size() == 1 || is_keyword(kWords.find(glued.substr(1))));
    if (is_keyword(kWords.find(glued))) {
    } else if (suffix) {
      ++i;
    } else {
      return made(TokenKind::kWord, end);
    }
  }
  Token token = made(TokenKind::kNumber, i);
  token.hex = hex || bits;
  return token;
}

Token Lexer::string(std::size_t open) noexcept {
  const char quote = text_[open];
  const ByteFinder& ends = ends_of(quote);
  std::size_t i = open + 1;
  while ((i = ends.find(text_, i)) < text_.size()) {
    if (text_[i] == '\\') {
      ambiguous_ = ambiguous_ || (i + 1 < text_.size() && text_[i + 1] == quote);
      i += dialect_ == Dialect::kMysql ? 2 : 1;
    } else if (i + 1 < text_.size() && text_[i + 1] == quote) {
      i += 2;
    } else {
      break;
    }
  }
  return i >= text_.size() ? made(TokenKind::kOpenString, text_.size()) : made(TokenKind::kString, i + 1);
}

// "name"( and "name". are names, "…" else a string or a value as good.
bool Lexer::quote_name_follows(std::size_t end) const noexcept {
  const std::size_t close = text_.substr(0, end + kMaxVocabularyWordBytes).find('"', end + 1);
  if (close == std::string_view::npos || close == end + 1 || !begins_word(text_[end + 1])) return false;
  const std::size_t behind = skip_space(text_, close + 1);
  return behind < text_.size() && (text_[behind] == '(' || (text_[behind] == '.' && behind == close + 1));
}

Token Lexer::quoted_name(char close) noexcept {
  const std::size_t begin = at_ + 1;
  const std::size_t end = text_.find(close, begin);
  if (end == std::string_view::npos) return made(TokenKind::kOpenString, text_.size());
  Token token = made(TokenKind::kWord, end + 1);
  token.quoted = true;
  token.word = kWords.find(text_.substr(begin, end - begin));
  chain(token);
  return token;
}

// a.b, a..b, [a].b, "a"."b", a/**/.b: one name. A blank behind the full stop parts sentences.
void Lexer::chain(Token& token) noexcept {
  while (at_ < text_.size()) {
    std::size_t dot = at_;
    bool parted = false;  // information_schema . tables
    if (token.word != nullptr && token.word->object == Object::kSchema) {
      const Lexer before = *this;
      if (!skip_blank()) {
        *this = before;
        return;
      }
      dot = at_;
      at_ = before.at_;
      parted = dot > at_;
    }
    if (dot >= text_.size() || text_[dot] != '.') return;
    while (dot + 1 < text_.size() && text_[dot + 1] == '.') ++dot;
    const std::size_t begin = parted ? skip_space(text_, dot + 1) : dot + 1;
    if (begin >= text_.size()) return;
    const char c = text_[begin];
    const char close = c == '`' || c == '"' ? c : c == '[' ? ']' : '\0';
    std::size_t end = begin;
    std::string_view name;
    if (close != '\0') {
      end = text_.substr(0, begin + kMaxVocabularyWordBytes).find(close, begin + 1);
      if (end == std::string_view::npos) return;
      name = text_.substr(begin + 1, end - begin - 1);
      ++end;
    } else if (c == '*') {
      end = begin + 1;
    } else if (begins_word(c) && blank_size(begin) == 0) {
      end = word_end(begin);
      name = text_.substr(begin, end - begin);
    } else {
      return;
    }
    if (token.parts == 1) token.qualifier = token.word;
    token.word = kWords.find(name);
    if (token.parts < 8) ++token.parts;
    token.end = static_cast<std::uint32_t>(end);
    at_ = end;
  }
}

// un/**/ion, un<>ion: where comments and empty tags are taken out before the database sees them, the pieces
// are one word. `row` is set if they are a keyword or a function; the longest run counts.
std::size_t Lexer::glued_end(std::size_t begin, std::size_t end, const WordRow*& row) const noexcept {
  std::array<char, kMaxGluedBytes> letters;
  std::size_t size = 0;
  std::size_t best = end;
  for (std::size_t from = begin; end - from + size <= letters.size();) {
    size = static_cast<std::size_t>(std::copy(text_.begin() + static_cast<std::ptrdiff_t>(from),
                                              text_.begin() + static_cast<std::ptrdiff_t>(end),
                                              letters.begin() + static_cast<std::ptrdiff_t>(size)) -
                                    letters.begin());
    if (from != begin) {
      const WordRow* whole = kWords.find({letters.data(), size});
      if (whole != nullptr) {
        row = whole;
        best = end;
      }
    }
    if (text_.substr(end, 2) == "<>") {
      from = end + 2;
    } else {
      if (text_.substr(end, 2) != "/*") break;
      const std::size_t close = text_.substr(0, end + kMaxLookahead).find("*/", end + 2);
      if (close == std::string_view::npos || text_.substr(end + 2, 1) == "!") break;
      from = close + 2;
    }
    end = word_end(from);
    if (end == from) break;
  }
  return best;
}

Token Lexer::word() noexcept {
  const std::size_t begin = at_;
  std::size_t end = word_end(begin);
  if (end == begin) return made(TokenKind::kOther, begin + 1);
  const std::string_view spelled = text_.substr(begin, end - begin);
  const char behind = end < text_.size() ? text_[end] : '\0';
  // p' and q': primes
  if ((behind == '\'' || (behind == '"' && spelled.size() == 1)) && end + 1 < text_.size()) {
    // N'…' E'…' X'…' B'…' _utf8'…' and Oracle's q'[…]'
    const char first = to_lower(spelled[0]);
    const bool binary = spelled.size() == 1 && (first == 'x' || first == 'b');
    const bool prefix = spelled.size() == 1 && (first == 'n' || first == 'e' || first == 'q');
    Token token;
    if (first == 'q' || first == 'n') {
      if (spelled.size() <= 2 && to_lower(spelled.back()) == 'q' && oracle_string(end, token)) return token;
    }
    if (prefix || (spelled.size() > 3 && first == '_') ||
        (binary && end + 1 < text_.size() && hex_value(text_[end + 1]) >= 0)) {
      token = string(end);
      token.hex = binary;
      return token;
    }
  }
  const WordRow* row = kWords.find(spelled);
  if (behind == '&' && spelled.size() == 1 && to_lower(spelled[0]) == 'u' && end + 1 < text_.size() &&
      (text_[end + 1] == '\'' || text_[end + 1] == '"')) {
    return string(end + 1);  // U&'…'
  }
  const std::size_t whole = behind == '/' || behind == '<' ? glued_end(begin, end, row) : end;
  const WordRow* const twice = row == nullptr ? doubled(spelled) : nullptr;
  if (twice != nullptr) row = twice;
  Token token = made(TokenKind::kWord, whole);
  token.word = row;
  // "Anandd" is a name.
  token.hidden = token.hidden || whole > end || (twice != nullptr && twice->part != Part::kLogic);
  if (at_ < text_.size() && (text_[at_] == '.' || (row != nullptr && row->object == Object::kSchema)))
    chain(token);
  return token;
}

// (row).field of PostgreSQL: still the value in parentheses. Methods of other languages are called.
bool Lexer::skip_field() noexcept {
  if (last_ != TokenKind::kRight || before_blank_ != at_) return false;
  std::size_t end = at_;
  while (end + 1 < text_.size() && text_[end] == '.' && begins_word(text_[end + 1])) end = word_end(end + 1);
  if (end == at_ || (end < text_.size() && text_[end] == '(')) return false;
  at_ = end;
  return true;
}

bool Lexer::oracle_string(std::size_t open, Token& token) noexcept {
  if (open + 2 >= text_.size()) return false;
  const char c = text_[open + 1];
  if (is_word(c) || class_of(c) == Class::kBlank) return false;
  const char closing[2] = {c == '[' ? ']' : c == '(' ? ')' : c == '{' ? '}' : c == '<' ? '>' : c, '\''};
  const std::size_t end = find_end(std::string_view(closing, 2), open + 2);
  if (end == std::string_view::npos) return false;
  token = made(TokenKind::kString, end + 2);
  return true;
}

// $$…$$ and $tag$…$tag$ of PostgreSQL; $1.
Token Lexer::dollar() noexcept {
  std::size_t end = at_ + 1;
  const std::size_t most = std::min(text_.size(), at_ + 32);
  while (end < most && (is_alnum(text_[end]) || text_[end] == '_')) ++end;
  if (end < most && text_[end] == '$') {
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    ambiguous_ = true;  // MySQL has no such strings
    const std::size_t close = find_end(tag, end + 1);
    if (close != std::string_view::npos) return made(TokenKind::kString, close + tag.size());
  }
  return end > at_ + 1 ? made(TokenKind::kVariable, end) : made(TokenKind::kOther, at_ + 1);
}

Token Lexer::variable(std::size_t marker) noexcept {
  std::size_t end = at_ + marker;
  if (end < text_.size() && (text_[end] == '`' || text_[end] == '\'' || text_[end] == '"')) {
    const std::size_t close = text_.substr(0, end + kMaxVocabularyWordBytes).find(text_[end], end + 1);
    if (close == std::string_view::npos) return made(TokenKind::kOther, at_ + 1);
    return made(TokenKind::kVariable, close + 1);
  }
  std::size_t name = end;
  end = word_end(end);
  while (end > at_ + marker && end + 1 < text_.size() && text_[end] == '.' && is_word(text_[end + 1])) {
    name = end + 1;
    end = word_end(name);
  }
  if (end == at_ + marker) return operation(Op::kSign, marker);
  Token token = made(TokenKind::kVariable, end);
  if (marker == 2) token.word = kWords.find(text_.substr(name, end - name));
  token.parts = static_cast<std::uint8_t>(marker);
  return token;
}

// A subscript directly behind an operand, else a name of SQL Server and Access.
Token Lexer::bracket() noexcept {
  if ((last_ == TokenKind::kWord || last_ == TokenKind::kRight) && before_blank_ == at_)
    return made(TokenKind::kLeft, at_ + 1);
  const std::size_t end = text_.substr(0, at_ + kMaxVocabularyWordBytes).find_first_of("]'\"\n[({", at_ + 1);
  if (end == std::string_view::npos || text_[end] != ']' || end == at_ + 1)
    return made(TokenKind::kLeft, at_ + 1);
  return quoted_name(']');
}

Token Lexer::operation(Op op, std::size_t size) noexcept {
  Token token = made(TokenKind::kOperator, at_ + size);
  token.op = op;
  return token;
}

Token Lexer::operation() noexcept {
  const bool alone = !kGoesOn.has(peek(1));  // nor does a comment begin there
  const std::string_view signs = alone ? text_.substr(at_, 1) : until_comment(text_.substr(at_));
  const OperatorRow* row = alone ? kOfOneByte[byte(signs[0])] : find_operator(signs);
  // Behind ?| and ?& stands a string, a list or a typed string: ?|array['a']. @@version is a variable.
  const bool parameter = row != nullptr && row->text.size() > 1 && row->text[0] == '?';
  if (parameter || (row != nullptr && row->text == "@@")) {
    std::size_t end = at_ + row->text.size();
    while (end < text_.size() && text_[end] == ' ') ++end;
    end = word_end(end);
    while (end < text_.size() && text_[end] == ' ') ++end;
    const bool value =
        end < text_.size() && std::string_view("'[$(").find(text_[end]) != std::string_view::npos;
    if (parameter && !value) return operation(Op::kQuestion, 1);
    if (!parameter && !value && last_ != TokenKind::kRight && last_ != TokenKind::kString) row = nullptr;
  }
  if (row != nullptr) return operation(row->op, row->text.size());
  switch (signs[0]) {
    case ':':
      return begins_word(peek(1)) ? variable(1) : made(TokenKind::kOther, at_ + 1);
    case '@':
      return variable(signs.starts_with("@@") ? 2 : 1);
    default:
      return made(TokenKind::kOther, at_ + 1);
  }
}

Token Lexer::full_stop() noexcept {
  if (is_digit(peek(1))) return number();
  if (skip_field()) return next();
  if (begins_word(peek(1))) ++at_;  // behind a part that is nothing: 1.e.tables
  return begins_word(peek(0)) ? word() : made(TokenKind::kOther, at_ + 1);
}

Token Lexer::backslash() noexcept {
  if (peek(1) != 'N') return made(TokenKind::kOther, at_ + 1);
  Token token = made(TokenKind::kWord, at_ + 2);  // NULL of MySQL
  token.word = kWords.find("null");
  return token;
}

Token Lexer::symbol() noexcept {
  switch (text_[at_]) {
    case '(':
      return made(TokenKind::kLeft, at_ + 1);
    case ')':
    case ']':
      return made(TokenKind::kRight, at_ + 1);
    case '[':
      return bracket();
    case ',':
      return made(TokenKind::kComma, at_ + 1);
    case ';':
      return made(TokenKind::kSemicolon, at_ + 1);
    case '`':
      return quoted_name('`');
    case '.':
      return full_stop();
    case '$':
      return dollar();
    case '\\':
      return backslash();
    default:
      return operation();
  }
}

}  // namespace wafd::detect::sql
