// What a command's arguments say for its kind. Internal to cmd_injection.
#pragma once

#include "detect/analyze/shell/shell_commands.h"
#include "detect/analyze/shell/shell_lexer.h"
#include "detect/analyze/shell/shell_shape.h"

namespace wafd::detect::cmd {

// Arguments that nobody gives but to do what the command does. `piped`: a command's output goes into it;
// `closed`: an operator or the end of the text stands behind it.
bool is_decisive(CommandKind kind, const ShellWord& word, const Shape& shape, bool piped, bool closed);

// The arguments are of the kind that the command needs.
bool takes(CommandKind kind, const Shape& shape, bool closed);

// "dog food 5": the number alone makes no address of what stands behind a word of everyday language.
bool says_amount(CommandKind kind, const ShellWord& word, const Shape& shape) noexcept;

// Says something without arguments.
bool is_bare(CommandKind kind, const Shape& shape) noexcept;

// `next` is what the tool is told to do: net user, reg query, ip addr, apt install.
bool takes_subcommand(std::string_view name, std::string_view next) noexcept;

}  // namespace wafd::detect::cmd
