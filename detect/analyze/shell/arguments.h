// The arguments of a command, and how well they fit what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/shell_lexer.h"

namespace wafd::detect::shell {

struct Arguments {
  std::size_t words = 0;
  std::size_t loose = 0;  // words of letters that no option asked for, as sentences have them
  std::size_t numbers = 0;
  std::string_view first;  // that is no option
  std::string_view second;
  bool option = false;
  bool code_option = false;  // -c, -e, /c and something behind it
  bool relative = false;     // a/b, ./a
  bool rooted = false;       // /a, ~/a, ../a, c:\a
  bool last_rooted = false;  // and it is the last of them
  bool secret = false;
  bool file_name = false;  // a.b, perhaps a host's
  bool address = false;    // a URL, an IP address
  bool glob = false;
  bool lists = false;    // the last word is "*"
  bool expands = false;  // variables, substitutions
  bool assigns = false;  // the first words hold a sign of assignment or comparison by itself: a = b
  bool other = false;    // what is none of these
  bool signs = false;    // the only word is of signs that name nothing
  bool odd = false;      // the first word has signs that no host and no file has
  bool prose = false;    // the first word ends with a sign of a sentence: 5, now!
  bool quoted = false;
  bool sentence = false;  // words between quotes
  bool foreign = false;   // letters beyond ASCII
  bool calls = false;     // system(…) in a program that is given to awk and the like
  // redirections
  bool input = false;
  bool input_pattern = false;  // <s*
  bool here_string = false;
  bool output = false;
  bool script_output = false;  // to what a web server runs, or to a file of the system
  bool network = false;        // /dev/tcp

  // It may hold anything.
  bool is_sentence() const noexcept { return loose > 4 && loose * 2 > words; }
};

// `words` are those behind the command's, `targets` what it is redirected from and to, each with the sign of
// its redirection. Both are of `text`.
Arguments read_arguments(std::string_view text, std::span<const Token> words, std::span<const Token> targets,
                         const Command& command) noexcept;

// -x, --word; "+x"
bool is_option(std::string_view word) noexcept;
bool is_plain_word(std::string_view word) noexcept;

}  // namespace wafd::detect::shell
