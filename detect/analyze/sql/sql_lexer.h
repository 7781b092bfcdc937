// Tokens of SQL in every dialect, of a text that may begin and end anywhere in a query.
//
// Sources: ISO/IEC 9075-2 section 5; MySQL 8.0 sections 9.1 to 9.7 and 12.4; PostgreSQL 15 section 4.1;
// SQLite "SQL language"; SQL Server "Transact-SQL syntax"; Oracle "Lexical elements".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "detect/analyze/sql/words.h"

namespace wafd::detect::sql {

// In which quotes of the application the text begins. With one, the text up to the first quote that ends it
// is left out.
enum class Quote : std::uint8_t { kNone, kSingle, kDouble, kBacktick };

// Where the dialects differ: backslashes in strings, "#", "--" without a blank, comments in comments.
enum class Dialect : std::uint8_t { kMysql, kAnsi };

enum class TokenKind : std::uint8_t {
  kEnd,
  kBreak,  // the quote that ends the application's string
  kNumber,
  kString,      // '…' "…" N'…' q'[…]' $$…$$
  kOpenString,  // the rest of the text behind a quote: the application's own quote ends it
  kWord,        // a keyword, or a name, perhaps of several parts: a.b, `a`, [a], "a" before . or (
  kVariable,    // @x @@x :x $1
  kOperator,
  kLeft,   // ( or a subscript's [
  kRight,  // ) ]
  kComma,
  kSemicolon,
  kComment,  // to the end of the text: "--", "#", "/*"
  kOther,    // no token of SQL
};

enum class Op : std::uint8_t {
  kCompare,     // = <> != < <=> ~~ @>
  kArithmetic,  // + - * / % ^ | & << -> and the like; + - may be signs
  kLogic,       // && ||: logic in MySQL, elsewhere "||" joins strings
  kTilde,       // ~ compares behind an operand, and is a sign before one
  kSign,        // ! @ |/
  kAssign,      // := =>
  kCast,        // ::
  kQuestion,    // ?: a parameter, or an operator on JSON
};

struct OperatorRow {
  std::string_view text;
  Op op = Op::kSign;
  Tells tells = Tells::kNothing;
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Op op = Op::kCompare;     // of kOperator
  bool quoted = false;      // of kWord: a name whatever it spells
  bool hex = false;         // of kNumber: 0x41; of kString: x'41', b'1'
  bool hidden = false;      // stands in a comment for some versions, or is cut by one: un/**/ion
  std::uint8_t parts = 1;   // of kWord
  std::uint32_t begin = 0;  // bytes in the text
  std::uint32_t end = 0;
  const WordRow* word = nullptr;       // of kWord: what its last part means, or null
  const WordRow* qualifier = nullptr;  // of kWord with several parts: what the first one means, or null

  std::size_t size() const noexcept { return end - begin; }
};

// One walk; the text must outlive it. Linear time, no memory.
class Lexer {
 public:
  Lexer(std::string_view text, Quote quote, Dialect dialect) noexcept;

  // With a quote of the application: whether the text ends its string.
  bool starts() const noexcept { return at_ <= text_.size(); }
  Token next() noexcept;
  // The other dialect may have read something else, up to here.
  bool is_ambiguous() const noexcept { return ambiguous_; }
  // The text that a comment hid: behind "--", "#" or "/*" of a kComment.
  std::string_view hidden() const noexcept { return hidden_; }

 private:
  void find_break(Quote quote) noexcept;
  bool skip_blank() noexcept;  // false: the rest is hidden by a comment
  bool skip_comment() noexcept;
  bool skip_line_comment(std::size_t marker) noexcept;
  bool skip_block_comment() noexcept;
  std::size_t comment_end(std::size_t from) noexcept;
  std::size_t find_end(std::string_view closing, std::size_t from) noexcept;
  bool skip_brace() noexcept;
  bool skip_field() noexcept;

  Token made(TokenKind kind, std::size_t end) noexcept;
  Token number() noexcept;
  Token string(std::size_t open) noexcept;
  Token word() noexcept;
  void chain(Token& token) noexcept;
  Token quoted_name(char close) noexcept;
  Token bracket() noexcept;
  Token variable(std::size_t marker) noexcept;
  Token dollar() noexcept;
  Token symbol() noexcept;
  Token full_stop() noexcept;
  Token backslash() noexcept;
  Token operation(Op op, std::size_t size) noexcept;
  Token operation() noexcept;
  bool oracle_string(std::size_t open, Token& token) noexcept;
  std::size_t blank_size(std::size_t at) const noexcept;
  std::size_t word_end(std::size_t at) const noexcept;
  std::size_t glued_end(std::size_t begin, std::size_t end, const WordRow*& row) const noexcept;
  bool quote_name_follows(std::size_t end) const noexcept;
  char peek(std::size_t ahead) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
  bool ambiguous_ = false;
  bool break_ = false;          // the next token is the break
  std::uint32_t versions_ = 0;  // comments for some versions that are open
  bool versioned_ = false;
  std::uint32_t braces_ = 0;
  std::size_t no_comment_end_ = static_cast<std::size_t>(-1);  // from here on there is no "*/"
  std::size_t far_lookups_ = 0;
  bool unbalanced_ = false;  // comments in comments do not end
  TokenKind last_ = TokenKind::kEnd;
  std::size_t before_blank_ = 0;  // where the last token ended
  std::string_view hidden_;
};

// Whether nothing but blanks and signs, or one word of at most 256 bytes, stands in what a comment hid: what
// attackers end with.
bool hides_little(std::string_view hidden) noexcept;

}  // namespace wafd::detect::sql
