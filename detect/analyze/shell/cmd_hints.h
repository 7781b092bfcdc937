// What announces command injection to the gate: the names of commands as words, and expressions for
// everything else. Internal to cmd_injection.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect::cmd {

struct Hints {
  std::vector<const char*> expressions;
  std::vector<std::string_view> words;       // where a command can stand
  std::vector<std::string_view> amid_words;  // there, but not as all of the text
  std::deque<std::string> texts;             // what `expressions` point to; stays where it is
};

// Made once.
Hints make_hints();

}  // namespace wafd::detect::cmd
