// Decides about the commands of a text: what each is, where it stands, and what its arguments say. Internal
// to cmd_injection.
#pragma once

#include "detect/analyze/shell/cmd_report.h"
#include "detect/analyze/shell/cmd_scan.h"

namespace wafd::detect::cmd {

// Reads and judges the commands at the places that scan_for_commands found.
void judge_commands(Report& out, const CmdSigns& signs);

}  // namespace wafd::detect::cmd
