// Commands that say something by their form, whatever stands before them: runners of others, aliases, paths
// of programs, redirections, names that are not known. Internal to cmd_injection.
#pragma once

#include "detect/analyze/shell/cmd_report.h"
#include "detect/analyze/shell/shell_shape.h"

namespace wafd::detect::cmd {

// strace ifconfig, flock -u / whoami, time who: what the words from `at` on run. `from_start`: the command is
// not read as if a quote had been open before it.
void judge_runner(Report& out, const ShellCommand& command, std::size_t at, bool from_start);

// /usr/bin/id as a value or behind an operator.
void judge_program_path(Report& out, const ShellCommand& command, const ShellWord& word, bool from_start);

// alias x=command, alias -g x=y
void judge_alias(Report& out, const ShellCommand& command, std::size_t at);

// > /dev/tcp/host/port, >x.php, < and > to files of the system, $(<file)
void judge_targets(Report& out, const ShellCommand& command);

// A name that is not known can still stand where only a command can: $a $b behind an operator, or right
// behind an operator that begins the value, with an option.
void judge_unknown(Report& out, const ShellCommand& command, std::size_t at, const Shape& shape);

// Every command of it ends where an operator, or the text, does.
bool closes(const ShellCommand& command) noexcept;

// A name that a shell takes for a variable.
bool is_variable_name(std::string_view name) noexcept;

}  // namespace wafd::detect::cmd
