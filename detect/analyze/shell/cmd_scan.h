// One walk over a text: the places where a command may stand, before anything is read as one.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "detect/analyze/shell/shell_lexer.h"

namespace wafd::detect {

struct CmdPlace {
  ShellOperator before = ShellOperator::kStart;
  std::uint32_t operator_begin = 0;
  std::uint32_t begin = 0;  // behind the operator
  bool quoted = false;      // the text is read as if a quote had been open before it
};

struct CmdSigns {
  // A command's name, or a disguise of one, follows; in order but for the one behind a first quote.
  std::pmr::vector<CmdPlace> places;
  std::uint32_t tricks = 0;  // bits of CmdTrick

  explicit CmdSigns(std::pmr::memory_resource* memory) : places(memory) {}
};

// What shell_tricks and the other small readers read; a bit says that the beginning of it stands somewhere.
enum CmdTrick : std::uint32_t {
  kTrickFunction = 1u << 0,   // () {
  kTrickExpansion = 1u << 1,  // $IFS, ${x:0, $((, $[
  kTrickBraceList = 1u << 2,
  kTrickAlias = 1u << 3,
  kTrickInteractive = 1u << 4,  // the value begins with ! or ~
  kTrickClient = 1u << 5,       // . \ or : where a line or statement begins
  kTrickRedirect = 1u << 6,     // the value begins with >
  kTrickNetwork = 1u << 7,      // > or < before /tcp/ or /udp/
  kTrickPowerShell = 1u << 8,   // Download…(, …String(
  kTrickMail = 1u << 9,         // a line begins with a word of mail protocols
  kTrickCall = 1u << 10,        // & or . before a parenthesis
  kTrickOption = 1u << 11,      // the value, or the host of a URL, begins with a dash
};

// Linear in `text`: at most 96 octets of look-ahead at each place where a command can begin.
void scan_for_commands(std::string_view text, CmdSigns& out);

}  // namespace wafd::detect
