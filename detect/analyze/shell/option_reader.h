// A value that is an option of a tool: --use-compress-program=id, -oProxyCommand=id, -c core.pager=id. It
// reaches tools that are run without a shell, too.
#pragma once

#include <cstdint>
#include <string_view>

#include "detect/analyze/base/evidence.h"
#include "detect/analyze/base/needs.h"

namespace wafd::detect::shell {

enum class Runs : std::uint8_t {
  kValue,    // its value is run, whatever it is
  kCommand,  // so, but the word is another's option too: it counts with a command as its value
  kSetting,  // a key of configuration that an option gives: -o KEY=…, -c KEY=…, -d KEY=…; "x.": any below x
  kLoads,  // a library: -javaagent:x.jar
};

struct OptionRow {
  std::string_view text;
  Runs runs;
};

// At the beginning of the text, or of a URL's host (ssh://-oProxyCommand=id/x); behind other words what only
// such tools have: x --checkpoint-action=exec=id.
Needs needs_of_options();
void read_options(std::string_view text, EvidenceList& out);

}  // namespace wafd::detect::shell
