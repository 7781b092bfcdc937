// Splits text into commands as sh, bash, cmd.exe and PowerShell do together: operators, words without their
// quotes.
//
// Source: POSIX.1-2017, Shell Command Language, 2.2 (quoting), 2.3 (tokens), 2.6 (expansions), 2.7
// (redirection); bash manual 3.1 and 3.5; cmd.exe's caret and %VAR%. Where the shells differ, the reading
// that runs something wins.
#pragma once

#include <cstdint>
#include <memory_resource>
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
  explicit ShellWord(std::pmr::memory_resource* memory) : text(memory) {}
  std::pmr::string text;  // quotes, escapes and empty expansions removed
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool quoted = false;   // some of it stood in quotes or behind escapes
  bool spliced = false;  // quotes, escapes or empty expansions inside a run of letters: c''at, c\at, wh``oami
  bool glob = false;     // holds ? * or [ unquoted
  bool input = false;    // the target of <: what the command reads
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
  bool ifs = false;                     // $IFS separated words
  bool here_string = false;             // <<< word: the word is among the targets
  bool comment_after = false;           // a # ends it
  bool colour_after = false;            // and letters or digits follow it: #ff8800
  std::pmr::vector<ShellWord> words;    // at most kMaxShellWords; redirection targets are not among them
  std::pmr::vector<ShellWord> targets;  // of > >> < and the like

  explicit ShellCommand(std::pmr::memory_resource* memory) : words(memory), targets(memory) {}
  std::pmr::memory_resource* memory() const { return words.get_allocator().resource(); }
};

inline constexpr std::size_t kMaxShellWords = 24;

// Reads the command of text[begin..) up to the operator that ends it, in at most kMaxCommandBytes. `out` is
// made anew but for its operator_begin and before. Quotes without a fellow are skipped.
inline constexpr std::size_t kMaxCommandBytes = 2048;
void read_command(std::string_view text, std::size_t begin, ShellCommand& out);

// "&lt;" and "&#39;": text[at] is the semicolon, or the ampersand, of a character reference.
bool ends_reference(std::string_view text, std::size_t at) noexcept;
bool begins_reference(std::string_view text, std::size_t at) noexcept;

const char* to_words(ShellOperator) noexcept;  // "a semicolon", ...

}  // namespace wafd::detect
