// Statements of cmd.exe that run a command: for %a in (set) do ..., if [not] exist file ..., if a==b ...
//
// Source: "for" and "if" in Microsoft's "Windows commands".
#pragma once

#include "detect/analyze/shell/cmd_report.h"

namespace wafd::detect::cmd {

// `at`: where a command that is called "for" or "if" begins. At most a few words are read.
void read_batch_statement(Report& out, std::size_t at);

}  // namespace wafd::detect::cmd
