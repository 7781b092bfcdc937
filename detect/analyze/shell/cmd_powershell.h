// What PowerShell runs without a separator: code that .NET fetches or unpacks, and its call operator before
// an expression. Internal to cmd_injection.
//
// Source: about_Operators (call operator &, dot sourcing), about_Command_Precedence.
#pragma once

#include "detect/analyze/shell/cmd_findings.h"

namespace wafd::detect::cmd {

// DownloadString(, FromBase64String(
void read_powershell(Findings& out);

// &(gcm i*x), .("who" + "ami"): what the parentheses say is the name of a command.
void read_call_operator(Findings& out);

}  // namespace wafd::detect::cmd
