// Tokens of the shells' command language (POSIX.1-2017 XCU 2.3, bash manual 3.1): words with the value that
// they have once quotes are removed and what is known of expansions is put in place, and signs between them.
// The text may begin and end anywhere; white space that an expansion makes ends a word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "detect/analyze/shell/expansion.h"

namespace wafd::detect::shell {

enum class TokenKind : std::uint8_t { kEnd, kWord, kSeparator, kOpen, kClose, kRedirect };

enum class Sign : std::uint8_t {
  kNone,
  // separators
  kSemicolon,
  kCaseEnd,  // ;;
  kNewline,
  kAmpersand,
  kAnd,
  kOr,
  kPipe,
  kComment,  // "#" where a word begins
  kTag,      // the "<" of an element of HTML or XML: as a redirection it would keep the command from running
  // openers
  kSubstitution,  // $(
  kBacktick,
  kGroup,   // (
  kInput,   // <(
  kOutput,  // >(
  // redirections
  kFrom,          // <
  kTo,            // > >> >| >& &>
  kHereString,    // <<<
  kHereDocument,  // <<
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Sign sign = Sign::kNone;
  std::uint8_t frames = 0;  // kOpen: 1 if it has to be closed; kClose: how many that are open end
  bool joined = false;      // no white space before it
  std::size_t begin = 0;
  std::size_t end = 0;
  // kWord
  std::string_view value;
  bool quoted = false;
  bool hidden = false;    // spelled otherwise inside: c'a't, c\at, ${x}cat; not 'cat' and \cat
  bool variable = false;  // it holds the value of a variable that the text has set
  bool unknown = false;   // it holds an expansion of which nothing is known
  bool cuts = false;      // ${PATH:0:1}
  bool split = false;     // white space before it, or behind it, is $IFS
  bool open = false;      // a substitution follows, of which it is a part
};

// One walk over the text; text, variables and memory must outlive it and its tokens. Linear time.
class Lexer {
 public:
  Lexer(std::string_view text, std::size_t at, const Variables& variables,
        std::pmr::memory_resource* memory) noexcept
      : text_(text), at_(at), variables_(variables), memory_(memory) {}

  Token next();
  // Goes on to the next separator, opener or closer without making words of what stands before it.
  void skip_command() noexcept;
  std::size_t place() const noexcept { return at_; }

 private:
  enum class State : std::uint8_t { kPlain, kDouble, kParameter, kBacktick, kParenthesis };
  static constexpr std::size_t kMaxDepth = 32;
  // How far a frame is in "case word in", behind which a parenthesis ends a pattern (POSIX XCU 2.9.4).
  // Where in "case word in pattern) command;; esac" a frame is: behind "case", behind its word, where a
  // pattern or "esac" may begin, in a pattern, where a command or "esac" may begin, in a command.
  enum class Case : std::uint8_t { kNone, kCase, kWord, kIn, kPattern, kBegin, kCommand };

  State state() const noexcept { return depth_ == 0 ? State::kPlain : states_[depth_ - 1]; }
  bool push(State state) noexcept;
  bool in_word() const noexcept { return state() == State::kDouble || state() == State::kParameter; }
  void skip_blanks() noexcept;
  Token sign(TokenKind kind, Sign sign, std::size_t size) noexcept;
  Token open(Sign sign, std::size_t size) noexcept;
  Token close_parenthesis() noexcept;
  void follow_case(const Token& token) noexcept;
  Token backtick() noexcept;
  Token redirection() noexcept;
  Token word();
  bool read_piece(Token& token);
  bool read_dollar(Token& token);
  void read_escape(Token& token);
  void read_single_quote();
  void quote(Token& token) const noexcept;

  std::string_view text_;
  std::size_t at_;
  const Variables& variables_;
  std::pmr::memory_resource* memory_;
  std::array<State, kMaxDepth> states_{};
  std::array<Case, kMaxDepth + 1> cases_{};
  std::size_t depth_ = 0;
  TokenKind last_ = TokenKind::kSeparator;
  Value value_;
};

}  // namespace wafd::detect::shell
