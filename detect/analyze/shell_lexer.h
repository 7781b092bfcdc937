// Splits text into commands as sh, bash, cmd.exe and PowerShell do together: operators, words without their
// quotes.
//
// Source: POSIX.1-2017, Shell Command Language, 2.2 (quoting), 2.3 (tokens), 2.6 (expansions), 2.7
// (redirection); bash manual 3.1 and 3.5; cmd.exe's caret and %VAR%. Where the shells differ, the reading
// that runs something wins.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

enum class ShellOperator : std::uint8_t {
  kStart,  // nothing stands before: the value may be the whole command
  kSemicolon,
  kPipe,
  kAnd,        // &&
  kOr,         // ||
  kAmpersand,  // &
  kNewline,
  kDollarParen,  // $(
  kBacktick,
  kProcess,  // <( and >(
  kParen,    // ( or {
  kClose,    // ) } or the second backtick: what follows is not a command but the rest of a word
};

struct ShellWord {
  std::string text;  // quotes, escapes and empty expansions removed
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool quoted = false;   // some of it stood in quotes or behind escapes
  bool spliced = false;  // quotes, escapes or empty expansions inside a run of letters: c''at, c\at, wh``oami
  bool glob = false;     // holds ? * or [ unquoted
  bool expands = false;  // holds $name, ${…} or %NAME%
};

struct ShellCommand {
  ShellOperator before = ShellOperator::kStart;
  ShellOperator after = ShellOperator::kStart;  // kStart: the text ends
  std::uint32_t operator_begin = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool space_before = false;  // of the operator before
  bool space_after = false;
  bool ifs = false;                // $IFS separated words
  bool here_string = false;        // <<< word: the word is among the targets
  bool comment_after = false;      // a # ends it
  std::vector<ShellWord> words;    // at most kMaxWords; redirection targets are not among them
  std::vector<ShellWord> targets;  // of > >> < and the like
};

inline constexpr std::size_t kMaxShellWords = 24;

// Gives every command of text[from..) to `each`, in order; work is linear. Quotes without a fellow are
// skipped.
void read_shell(std::string_view text, std::size_t from,
                const std::function<void(const ShellCommand&)>& each);

const char* to_words(ShellOperator) noexcept;  // "a semicolon", ...

}  // namespace wafd::detect
