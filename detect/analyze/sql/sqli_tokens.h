// SQL tokenizer for text that lands inside of somebody's query: in every quoting context, in two families of
// dialects.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "detect/analyze/sql/sqli_words.h"

namespace wafd::detect::sqli {

// Where in the query the text begins.
enum class Quote : std::uint8_t { kNone, kSingle, kDouble, kBacktick };

// What the dialects disagree about. kMysql: "#" comments, "-- " needs its space, backslash escapes, /*! runs.
// kAnsi (PostgreSQL, MSSQL, Oracle, SQLite): none of these; "--" always comments, /* */ nests (PostgreSQL).
enum class Dialect : std::uint8_t { kMysql, kAnsi };

enum class Kind : std::uint8_t {
  kBreak,  // the quote that ends the string which the text began in; always the first token if there is one
  kNumber,
  kString,      // complete: '…', "…", q'[…]', $$…$$
  kOpenString,  // the rest of the text, behind an opening quote: the application's own quote ends it
  kWord,        // identifier or keyword; also `…` and […], which are names whatever they spell
  kVariable,    // @x, @@x, :x, ?
  kCompare,     // = <> != < > <= >= <=> := ~ !~ @> <@
  kArithmetic,  // + - * / % ^ | & ~ << >> -> ->> ! (the grammar knows which may be unary)
  kLogic,       // || && : logic in MySQL, concatenation and arrays elsewhere
  kLeft,        // (
  kRight,       // )
  kComma,
  kDot,
  kSemicolon,
  kLineComment,  // "--" or "#"; what follows on its line is left out
  kOpenComment,  // "/*" that never ends
  kOther,        // no octet of SQL
};

struct Token {
  Kind kind = Kind::kOther;
  bool quoted = false;             // of a kWord: `…` or […]
  const WordInfo* info = nullptr;  // of a kWord
  std::uint32_t begin = 0;         // octets in the text
  std::uint32_t end = 0;
  std::int32_t match = -1;  // of kLeft: index of its kRight, or -1 if there is none
  char first = '\0';        // first octet: which operator, which sign

  bool is(Word word) const noexcept { return kind == Kind::kWord && !quoted && info->word == word; }
  Part part() const noexcept { return kind == Kind::kWord && !quoted ? info->part : Part::kName; }
};

struct TokenStream {
  explicit TokenStream(std::pmr::memory_resource* memory) : tokens(memory) {}

  std::pmr::vector<Token> tokens;
  std::uint32_t comments = 0;       // /* */ between tokens
  bool version_comment = false;     // a keyword of SQL inside of /*! */
  std::uint32_t version_begin = 0;  // where
  bool glued = false;               // number and keyword without anything between: 1e0union
  bool odbc_braces = false;         // {x …}, which MySQL reads as its content
  std::uint32_t casts = 0;          // ::type of PostgreSQL, with a type that it has
  bool ambiguous = false;           // the dialects would read it differently

  std::size_t next = 0;  // octet where the tokenizer stopped; the size of the text if it is done

  void clear();
};

// Replaces `out` with at most `max_tokens` tokens from octet `from` on. With a quote the first token is that
// quote, and there are none if the text holds no such quote.
void tokenize(std::string_view text, std::size_t from, Quote quote, Dialect dialect, std::size_t max_tokens,
              TokenStream& out);

}  // namespace wafd::detect::sqli
