// JavaScript tokens (ECMA-262, clause 12) from any octets: never fails, strings are given by their value.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

enum class JsKind : std::uint8_t { kWord, kString, kTemplate, kRegex, kNumber, kPunct, kLoneQuote };

struct JsToken {
  JsKind kind = JsKind::kPunct;
  char punct = 0;             // first octet of a kPunct ('.' for ?. too), the quote of a kLoneQuote
  bool plain_assign = false;  // kPunct '=' that is neither ==, => nor part of <=, >=, !=
  bool line_before = false;   // a line end stands between the last token and this one
  bool escaped = false;       // letters or digits are written as escapes, or hidden between them
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::string_view text;  // value of words and strings (escapes decoded), source of regexes; else as written
};

// Reusable: keeps its capacity. `text` of tokens points into the source or into `memory`, where values that
// had escapes are kept, and lives as long as both.
class JsLexer {
 public:
  static constexpr std::size_t kMaxTokens = 8192;

  explicit JsLexer(std::pmr::memory_resource& memory) : memory_(memory), tokens_(&memory) {}

  // Tokens of source[from..). A quote without its fellow on the line becomes kLoneQuote.
  // `ends_in_comment`: the text ends with // or /* or <!--, as breakouts do to be rid of what follows.
  // Returns where it stopped: the end of the source, or the place behind kMaxTokens tokens, from which to
  // read on.
  std::size_t read(std::string_view source, std::size_t from);

  const std::pmr::vector<JsToken>& tokens() const noexcept { return tokens_; }
  bool ends_in_comment() const noexcept { return ends_in_comment_; }

 private:
  // Where a search for the end of a string of each kind, or of a regex, failed: not tried again before that
  // position, or the whole would be quadratic.
  struct Failed {
    std::size_t strings[3] = {0, 0, 0};
    std::size_t regex = 0;
  };
  bool skip_comment(std::string_view source, std::size_t& at, bool& line_before);
  std::size_t read_string(std::string_view source, std::size_t at, JsToken& token, Failed& failed);
  std::size_t read_word(std::string_view source, std::size_t at, JsToken& token);
  std::size_t read_sign(std::string_view source, std::size_t at, JsToken& token, Failed& failed);
  void decode(JsToken& token);

  std::pmr::memory_resource& memory_;
  std::pmr::vector<JsToken> tokens_;
  std::string decoded_;
  bool ends_in_comment_ = false;
};

}  // namespace wafd::detect
