// Decides about the commands of a text: what each is, where it stands, and what its arguments say. Internal
// to cmd_injection.
#pragma once

#include "detect/analyze/cmd_findings.h"
#include "detect/analyze/cmd_scan.h"

namespace wafd::detect::cmd {

// Reads and judges the commands at the places that scan_for_commands found.
void judge_commands(Findings& out, const CmdSigns& signs);

// Code that .NET is told to fetch or unpack: DownloadString(, FromBase64String(.
void read_powershell(Findings& out);

}  // namespace wafd::detect::cmd
