// So many nodes that follow the settings of a fleet, in one process.
#pragma once

#include <cstdint>

namespace wafd::bench {

// Each is what a node has for it (FleetSettings with a connection and a thread of its own) and reads the
// document that it finds; what a node then makes of it (compiles rules, opens targets) is not in it. The
// seconds from the call that stores a version until the last has it: the median of `rounds`. `one_read_s`: a
// bare read of the newest version.
struct Followed {
  double last_s = 0, one_read_s = 0;
};
Followed follow_settings(std::uint16_t port, int nodes, int rounds);

}  // namespace wafd::bench
