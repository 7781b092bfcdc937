// Commands of Unix and Windows systems by their names (commands.tsv).
//
// Sources: POSIX.1-2017 utilities; the manuals of coreutils, util-linux, procps, iproute2, bash and the
// common packages of Debian, Alpine, Red Hat and the BSDs; Microsoft's "Windows commands" and PowerShell's
// aliases.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/core/flags.h"
#include "detect/core/vocabulary.h"

namespace wafd::detect::shell {

// The gain for whoever runs the command.
enum class Family : std::uint8_t {
  kInforms,     // tells about the host, its users, processes and network
  kReads,       // prints files, or what stands in them
  kChanges,     // makes, changes and removes files, processes, accounts
  kConnects,    // talks to other hosts
  kInterprets,  // runs the code that it is given: as an option, a file, its input
  kWraps,       // runs the command that follows
  kPrints,      // its arguments
  kWaits,       // for a time
  kManages,     // packages, versions, builds, services, databases: a part of many an instruction
  kDeclares,    // variables
};

// Its operands, beside options.
enum class Takes : std::uint8_t {
  kAlone = 1,  // nothing is needed, and what it prints then is worth something
  kFiles = 2,
  kHosts = 4,
  kNumbers = 8,
  kNames = 16,  // of users, processes, packages
  kCode = 32,
};
constexpr bool is_flags(Takes) noexcept { return true; }

// Whether the name is a word for other things, too.
enum class Usage : std::uint8_t {
  kTerm,   // of no language: whoami, ifconfig
  kShort,  // an abbreviation, which may be another's: ls, cat
  kWord,   // of a language, a product, a name of fields: time, find, id
};

enum class System : std::uint8_t { kBoth, kUnix, kWindows };

struct CommandRow {
  std::string_view text;
  Family family;
  Takes takes;
  Usage usage;
  System system;

  bool has(Takes what) const noexcept {
    return (static_cast<unsigned>(takes) & static_cast<unsigned>(what)) != 0;
  }
};

const Vocabulary<CommandRow>& commands() noexcept;

// A word in the place of a command.
struct Command {
  const CommandRow* row = nullptr;  // null: not known
  bool program_path = false;        // with the folder of programs before it: /usr/bin/id
  bool odd_case = false;      // ID, Date: no command where names have a case, or as a text writes the word
  std::string_view switches;  // of cmd.exe, which needs no space before them: dir/s
};

// By the last part of a path, without ".exe" and the like, and the version behind an interpreter's name. A
// cmdlet (Get-Process) is one, too.
Command find_command(std::string_view word) noexcept;

// Whether a command's name is one that the shell's pattern (?, *, [..]) matches. The pattern is not empty.
bool pattern_names_command(std::string_view pattern) noexcept;

// Verb-Noun, of PowerShell's approved verbs and the nouns of its modules.
bool is_cmdlet(std::string_view word) noexcept;

}  // namespace wafd::detect::shell
