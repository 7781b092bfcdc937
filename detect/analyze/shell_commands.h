// What is known of commands: the kind that each is, and the arguments by which one tells it from a word of
// prose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wafd::detect {

enum class CommandKind : std::uint8_t {
  kUnknown,
  kTelltale,  // not a word of any language: whoami, ifconfig
  kReport,    // prints something by itself, but is a word or abbreviation too: id, date, ls
  kReader,    // needs a file: cat, head, type
  kWriter,    // needs a file or target: rm, touch, chmod, kill
  kNet,       // needs an address: curl, ping, nslookup
  kShell,     // runs what it is given or what is piped into it: sh, python, powershell
  kText,      // prints its arguments: echo, printf
  kWait,      // needs a number: sleep, timeout
  kWrapper,   // runs the command that follows: sudo, nohup, xargs
};

// By the last path component of a command word, without case and without ".exe" or ".com".
CommandKind command_kind(std::string_view word) noexcept;

// The last component of a path: "/usr/bin/id" -> "id", "c:\\windows\\system32\\cmd.exe" -> "cmd".
std::string_view command_name(std::string_view word) noexcept;

// All names. They live as long as the program.
std::vector<std::string_view> command_names();

// `pattern` (with ? * [..]) begins with '/' and matches /bin/NAME, /usr/bin/NAME or the like of some command.
bool glob_names_command(std::string_view pattern);

// A file or folder that attackers read or write: /etc/…, /proc/…, c:\windows\…, ../../…, .ssh/…
bool sensitive_path(std::string_view word) noexcept;

}  // namespace wafd::detect
