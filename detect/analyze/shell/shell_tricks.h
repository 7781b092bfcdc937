// Syntax of shells that no ordinary text has, whatever the command is: expansions that spell, functions that
// call themselves, brace lists, history, escapes of interactive clients to a shell.
//
// Source: bash manual 3.3 (functions), 3.5 (expansions), 9.3 (history); sqlite3 and psql
// manuals (dot and backslash commands); vim's ":!".
#pragma once

#include "detect/analyze/shell/cmd_report.h"
#include "detect/analyze/shell/cmd_scan.h"

namespace wafd::detect::cmd {

// `tricks`: bits of CmdTrick, of what stands in the text.
void read_tricks(Report& out, std::uint32_t tricks);

}  // namespace wafd::detect::cmd
