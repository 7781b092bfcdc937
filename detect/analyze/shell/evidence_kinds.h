// The kinds of evidence of this room, in the order of their names in shell_matcher.cc.
#pragma once

#include <cstdint>

namespace wafd::detect::shell {

enum class ShellEvidence : std::uint8_t {
  kCommand,         // behind a separator
  kSubstituted,     // $(…), `…`, <(…)
  kNextLine,        // at the beginning of a line
  kCommandLine,     // at the beginning of the text
  kHidden,          // a command whose spelling hides its name
  kSplitWord,       // $IFS in the place of white space, a slash cut out of a variable
  kNetwork,         // /dev/tcp
  kFunctionImport,  // () { :;}; …
  kFunction,        // name() { … }; name
  kAlias,
  kRedirect,       // the text redirects output to a file
  kExpansion,      // the text is what a shell would expand
  kProgramPath,    // the text is the path of a program
  kClientCommand,  // .shell id
  kPowershell,
  kBatch,   // if … and for … of cmd.exe
  kOption,  // by which a tool runs a program
  kMailCommand,
  kMailWord,
  kCommandName,  // the text is the name of a command
  kCodeSpan,     // a command without arguments between backticks, in a sentence
  kInnerOption,  // an option by which a tool runs a program, behind other words
};

}  // namespace wafd::detect::shell
