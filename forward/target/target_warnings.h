// Warnings of settings that have no effect in a target: accepted, because people change transport
// or header and come back, and told, because nobody should believe that it works.
#pragma once

#include <string>
#include <vector>

#include "forward/target/target_settings.h"

namespace wafd::forward {

// One sentence each that begins with the member, "framing: lf has no effect over udp, ...". Empty: everything
// that differs from its default has an effect.
std::vector<std::string> target_warnings(const TargetSettings& target);

}  // namespace wafd::forward
