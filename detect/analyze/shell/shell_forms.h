// Shell constructs that need no position: functions that are imported or called where
// they are defined, network redirections, expansions, redirections and paths that are all of a value.
#pragma once

#include <string_view>

#include "detect/analyze/base/evidence.h"

namespace wafd::detect::shell {

// () { :;}; id (CVE-2014-6271), f(){ id;};f and fork bombs.
void read_functions(std::string_view text, EvidenceList& out);
// c$$at, c$@at
void read_torn_words(std::string_view text, EvidenceList& out);
// >&/dev/tcp/10.0.0.1/80, 0>$d/tcp/10.0.0.1/80 (bash manual 3.6)
void read_network(std::string_view text, EvidenceList& out);
// The text is no part of another: $((1+1)), !!, ~+, >/tmp/x, /usr/bin/id
void read_whole(std::string_view text, EvidenceList& out);

}  // namespace wafd::detect::shell
