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
  kTelltale,   // not a word of any language: whoami, ifconfig
  kReport,     // prints something by itself, but is a word or abbreviation too: id, date, ls
  kReader,     // needs a file: cat, head, type
  kWriter,     // needs a file or target: rm, touch, chmod, kill
  kNet,        // needs an address: curl, ping, nslookup
  kShell,      // runs what it is given or what is piped into it: sh, python, powershell
  kText,       // prints its arguments: echo, printf
  kWait,       // needs a number: sleep, timeout
  kWrapper,    // runs the command that follows: sudo, time, xargs
  kKeyword,    // a word of the grammar before a command: then, do, !
  kStatement,  // if, for
};

// By the last path component of a command word, without case and without ".exe" or ".com".
CommandKind command_kind(std::string_view word) noexcept;

// The last component of a path: "/usr/bin/id" -> "id", "c:\\windows\\system32\\cmd.exe" -> "cmd".
std::string_view command_name(std::string_view word) noexcept;

// The name is a word of everyday language too, or stands alone in ordinary values: time, file, id.
bool is_ordinary_word(std::string_view word) noexcept;

// Manages packages, versions, builds, containers, services or databases: a line of it begins many an
// instruction.
bool is_developer_tool(std::string_view word) noexcept;

// A cmdlet that looks at, filters or formats what a pipeline brings: Where-Object, Format-Table.
bool is_pipeline_cmdlet(std::string_view word) noexcept;
// Cmdlets that only choose from and order what a pipe hands them.
bool is_filter_cmdlet(std::string_view word) noexcept;

// Takes another command as its argument: nohup, strace, env, busybox.
bool runs_others(std::string_view word) noexcept;

// What announces commands: all names but of statements and signs, and verbs and nouns of PowerShell's
// cmdlets. They live as long as the program.
std::vector<std::string_view> command_names();
std::vector<std::string_view> cmdlet_verbs();
std::vector<std::string_view> cmdlet_nouns();

// `pattern` (with ? * [..]) begins with '/' and matches /bin/NAME, /usr/bin/NAME or the like of some command.
bool glob_names_command(std::string_view pattern);

// A file or folder that attackers read or write: /etc/…, /proc/…, c:\windows\…, ../../…, .ssh/…
bool sensitive_path(std::string_view word) noexcept;

}  // namespace wafd::detect
