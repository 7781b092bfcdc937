// Comments, operators and brackets of the dialects.
#include "detect/analyze/sql/sqli_tokenizer.h"
#include "detect/core/word_set.h"

namespace wafd::detect::sqli {
namespace {

std::string_view trim_white(std::string_view text) noexcept {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  return text;
}

// Types that a value is cast to: PostgreSQL's table of data types with their aliases, and what its system
// tables hold.
constexpr WordSet kTypes(
    {"bigint",      "int8",        "bigserial",    "serial8",   "bit",           "varbit",       "boolean",
     "bool",        "box",         "bytea",        "character", "char",          "varchar",      "cidr",
     "circle",      "date",        "double",       "float",     "float4",        "float8",       "inet",
     "integer",     "int",         "int4",         "interval",  "json",          "jsonb",        "line",
     "lseg",        "macaddr",     "macaddr8",     "money",     "numeric",       "decimal",      "path",
     "pg_lsn",      "pg_snapshot", "point",        "polygon",   "real",          "smallint",     "int2",
     "smallserial", "serial2",     "serial",       "serial4",   "text",          "time",         "timetz",
     "timestamp",   "timestamptz", "tsquery",      "tsvector",  "txid_snapshot", "uuid",         "xml",
     "bpchar",      "name",        "oid",          "regclass",  "regproc",       "regprocedure", "regoper",
     "regrole",     "regtype",     "regnamespace", "regconfig", "regdictionary"});

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

// Whether behind white space from `at` an expression or a comment begins.
bool begins_operand(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_white(text[at])) ++at;
  if (at >= text.size()) return false;
  if (!is_word_start(text[at]))
    return is_digit(text[at]) || std::string_view("'\"`(/.+-~!@:?[").find(text[at]) != std::string_view::npos;
  std::size_t end = at;
  while (end < text.size() && is_word(text[end])) ++end;
  switch (word_info(text.substr(at, end - at)).part) {
    case Part::kLogic:
    case Part::kCompare:
    case Part::kUnion:
    case Part::kClause:
    case Part::kDirection:
    case Part::kStatement:
      return false;
    default:
      return true;
  }
}

}  // namespace

void Tokenizer::symbol(char c) {
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
      // The end of a comment that the application opened: /*! select */ and the like.
      if (second == '/' && peek(2) != '*' && !out_.tokens.empty() && out_.tokens.back().kind == Kind::kWord &&
          out_.tokens.back().part() == Part::kSelect) {
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

void Tokenizer::left() {
  open_.push_back(static_cast<std::uint32_t>(out_.tokens.size()));
  add(Kind::kLeft, 1);
}

void Tokenizer::right() {
  if (!open_.empty()) {
    out_.tokens[open_.back()].match = static_cast<std::int32_t>(out_.tokens.size());
    open_.pop_back();
  }
  add(Kind::kRight, 1);
}

void Tokenizer::cast() {
  std::size_t end = at_ + 2;
  if (!is_alpha(peek(2))) return add(Kind::kOther, 2);
  while (end < text_.size() && ((is_word(text_[end]) && !lone_nbsp(end)) || text_[end] == '.')) ++end;
  const Kind before = out_.tokens.empty() ? Kind::kOther : out_.tokens.back().kind;
  if (kTypes.has(text_.substr(at_ + 2, end - at_ - 2)) && (before == Kind::kRight || before == Kind::kString))
    ++out_.casts;
  at_ = end;
  cast_at_ = out_.tokens.size();
}

void Tokenizer::brace() {
  std::size_t i = at_ + 1;
  while (i < text_.size() && is_white(text_[i])) ++i;
  const std::size_t word_begin = i;
  if (i < text_.size() && text_[i] == '`') {
    const std::size_t close = text_.substr(i + 1, kMaxNameBytes).find('`');
    if (close != std::string_view::npos) i += close + 2;
  }
  while (i < text_.size() && is_word(text_[i])) ++i;
  const Kind before = out_.tokens.empty() ? Kind::kOther : out_.tokens.back().kind;
  const bool behind_value = before == Kind::kBreak || before == Kind::kNumber || before == Kind::kString ||
                            before == Kind::kVariable || before == Kind::kRight;
  if (dialect_ == Dialect::kMysql && !behind_value && i > word_begin && i < text_.size() &&
      (is_white(text_[i]) || text_[i] == '(' || text_[i] == '/') && begins_operand(text_, i)) {
    ++braces_;
    out_.odbc_braces = true;
    at_ = i;
    return;
  }
  add(Kind::kOther, 1);
}

void Tokenizer::block_comment() {
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

std::size_t Tokenizer::nested_end(std::size_t from) noexcept {
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

void Tokenizer::line_comment(std::size_t marker) {
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

}  // namespace wafd::detect::sqli
