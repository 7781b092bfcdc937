// The rows of mail_commands.tsv.
#pragma once

#include <cstdint>
#include <string_view>

namespace wafd::detect::shell {

enum class Follows : std::uint8_t {
  kNo,
  kNothing,
  kNumbers,
  kWords
};  // kNo: the protocol has no such command

struct MailRow {
  std::string_view text;
  Follows imap;   // behind a tag: a001 SELECT INBOX
  Follows other;  // of SMTP and POP3
};

}  // namespace wafd::detect::shell
