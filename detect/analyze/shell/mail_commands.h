// Commands of mail protocols in lines of a text, for servers that pass it on: SMTP (RFC 5321), POP3 (RFC
// 1939), IMAP (RFC 9051).
#pragma once

#include <string_view>

#include "detect/analyze/base/evidence.h"

namespace wafd::detect::shell {

// Lines behind a line end. Linear time.
void read_mail_commands(std::string_view text, EvidenceList& out);

}  // namespace wafd::detect::shell
