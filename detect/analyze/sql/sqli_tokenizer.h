// The tokenizer behind sqli_tokens.h: one object reads one text once. Values and words are in sqli_tokens.cc,
// comments and operators in sqli_symbols.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "detect/analyze/sql/sqli_tokens.h"
#include "detect/core/octets.h"

namespace wafd::detect::sqli {

// How far an opening is searched for its end where missing it is not the end of the text: keeps the walk
// linear.
inline constexpr std::size_t kMaxLookahead = 1024;
inline constexpr std::size_t kMaxNameBytes = 128;

// Every dialect's white space together: ASCII controls (MSSQL takes all of them), space, the no-break space
// of Latin-1.
constexpr bool is_white(char c) noexcept { return octet(c) <= 0x20 || octet(c) == 0xA0; }
constexpr bool is_word_start(char c) noexcept { return is_alpha(c) || c == '_' || octet(c) >= 0x80; }
constexpr bool is_word(char c) noexcept { return is_word_start(c) || is_digit(c) || c == '$'; }

inline constexpr auto kWordOctets = [] {
  std::array<bool, 256> all{};
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = is_word(static_cast<char>(c));
  return all;
}();

class Tokenizer {
 public:
  Tokenizer(std::string_view text, Dialect dialect, TokenStream& out)
      : text_(text), dialect_(dialect), out_(out), open_(out.tokens.get_allocator()) {}

  void run(std::size_t from, Quote quote, std::size_t max_tokens);

 private:
  // A lone A0 is the no-break space of Latin-1; behind another high octet it belongs to a UTF-8 character.
  bool lone_nbsp(std::size_t at) const noexcept {
    return octet(text_[at]) == 0xA0 && (at == 0 || octet(text_[at - 1]) < 0x80);
  }
  std::size_t word_end(std::size_t at) const noexcept {
    while (at < text_.size() && kWordOctets[octet(text_[at])] && !lone_nbsp(at)) ++at;
    return at;
  }

  char peek(std::size_t ahead) const noexcept {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(Kind kind, std::size_t length);

  // The first quote that is not doubled, and in MySQL not escaped; if there is none, the first of all. An
  // application that adds backslashes doubles those of the attacker, so the other dialects' reading takes the
  // escaped one.
  bool find_break(Quote quote);

  void next();

  void block_comment();

  // Where the comment whose content begins at `from` ends if comments nest; if they do not balance, the first
  // "*/".
  std::size_t nested_end(std::size_t from) noexcept;

  void line_comment(std::size_t marker);

  void number();

  // A string whose opening quote is at `open`; the token begins at at_ (there may be a prefix such as N or
  // _utf8).
  void string(std::size_t open);

  void quoted_name(char close);

  // PostgreSQL's array['a','b'] and x[1], directly behind a name: part of the value.
  bool subscript();

  void name(std::size_t length, const WordInfo* info);

  void word();

  // N'…', X'…', B'…', E'…', U&'…' and character sets: _latin1'…'.
  static bool is_string_prefix(std::string_view word, char next) noexcept;

  // Oracle: q'[…]'.
  bool quote_literal(std::size_t open);

  // PostgreSQL: $$…$$ and $tag$…$tag$.
  bool dollar_string();

  void symbol(char c);

  void left();

  void right();

  // PostgreSQL's ::type says nothing to the grammar.
  void cast();

  void variable(std::size_t marker);

  // MySQL, for ODBC: {name expression} is the expression.
  void brace();

  std::string_view text_;
  const Dialect dialect_;
  TokenStream& out_;
  std::size_t at_ = 0;
  std::size_t open_versions_ = 0;
  std::size_t braces_ = 0;
  bool nesting_ = true;
  std::size_t cast_at_ = static_cast<std::size_t>(-1);  // tokens before the last ::type
  std::pmr::vector<std::uint32_t> open_;                // kLeft tokens without their kRight
};

}  // namespace wafd::detect::sqli
