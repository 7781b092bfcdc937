// Commands of mail protocols behind a line end: they speak to the server that a web mail or contact form
// talks to.
//
// Source: RFC 5321 (SMTP), RFC 3501 (IMAP, a tag before each command), RFC 1939 (POP3).
#pragma once

#include "detect/analyze/shell/cmd_findings.h"

namespace wafd::detect::cmd {

void read_mail_commands(Findings& out);

}  // namespace wafd::detect::cmd
