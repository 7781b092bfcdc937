// A value that is a command line from its beginning. Internal to cmd_injection.
#pragma once

#include "detect/analyze/shell/cmd_report.h"
#include "detect/analyze/shell/shell_shape.h"

namespace wafd::detect::cmd {

struct ValueReading {
  bool decisive = false;    // its arguments say what it is for
  bool prose = false;       // words stand beside it as in a sentence
  bool from_start = false;  // not read as if a quote had been open before it
};

// `word` names the command, of a known kind; `shape` is of what follows it.
void judge_value(Report& out, const ShellCommand& command, const ShellWord& word, CommandKind kind,
                 const Shape& shape, const ValueReading& is);

}  // namespace wafd::detect::cmd
