// JavaScript tokens (ECMA-262, clause 12) from any octets: never fails, strings are given by their value.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

enum class JsKind : std::uint8_t { kWord, kString, kTemplate, kRegex, kNumber, kPunct, kLoneQuote };

struct JsToken {
  JsKind kind = JsKind::kPunct;
  char punct = 0;             // first octet of a kPunct, the quote of a kLoneQuote
  bool plain_assign = false;  // kPunct '=' that is neither ==, => nor part of <=, >=, !=
  bool line_before = false;   // a line end stands between the last token and this one
  bool escaped = false;       // a word or string written with escapes
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view text;  // value of words and strings (escapes decoded), source of regexes; else as written
};

// Reusable: keeps its capacity. `text` of tokens points into the source or into `decoded` strings held here,
// and lives until the next read().
class JsLexer {
 public:
  static constexpr std::size_t kMaxTokens = 8192;

  // Tokens of source[from..). A quote without its fellow on the line becomes kLoneQuote.
  // `ends_in_comment`: the text ends with // or /* or <!--, as breakouts do to be rid of what follows.
  // Returns where it stopped: the end of the source, or the place behind kMaxTokens tokens, from which to
  // read on.
  std::size_t read(std::string_view source, std::size_t from);

  const std::vector<JsToken>& tokens() const noexcept { return tokens_; }
  bool ends_in_comment() const noexcept { return ends_in_comment_; }

 private:
  std::size_t read_string(std::string_view source, std::size_t at, JsToken& token, std::size_t& looked_to);
  std::string_view keep(std::string value);

  std::vector<JsToken> tokens_;
  std::deque<std::string> decoded_;  // stays in place as it grows
  bool ends_in_comment_ = false;
};

}  // namespace wafd::detect
