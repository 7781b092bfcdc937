// What the words of a command say besides its name: by them one tells a command from a word of prose.
#pragma once

#include <cstddef>
#include <string_view>

#include "detect/analyze/shell/shell_lexer.h"

namespace wafd::detect {

struct Shape {
  bool option = false;       // -x, --word, /c
  bool long_option = false;  // --word, -word
  bool path = false;         // holds a slash or begins with a dot
  bool absolute = false;     // /folder/file
  bool sensitive = false;    // a path that attackers want
  bool address = false;      // URL, host name, IP address
  bool number = false;
  bool expands = false;
  bool glob = false;      // a path with ? * or [
  std::size_t plain = 0;  // words of letters alone, as prose has
  std::size_t words = 0;
};

Shape shape_of(const ShellCommand& command, std::size_t from);

// Nothing but letters, with at most punctuation of prose behind them.
bool all_letters(std::string_view word) noexcept;

// Three words in a row, in any language that separates words.
bool has_prose(std::string_view text) noexcept;
// How many words there are of which prose is made.
std::size_t prose_words(std::string_view text) noexcept;

// The same among the 160 octets before `end`.
bool prose_before(std::string_view text, std::size_t end) noexcept;

// A file that only who attacks asks for by its path: accounts, keys, histories, what a process was started
// with.
bool is_secret_file(std::string_view word) noexcept;

// The name of a file that a web server would run.
bool is_script_name(std::string_view word) noexcept;

// /bin/NAME, /usr/local/sbin/NAME, c:\windows\system32\NAME, from the root or (then of a known command)
// without it.
bool is_program_path(std::string_view word) noexcept;

}  // namespace wafd::detect
