// How long a node takes from its start until its console can be connected to and it is ready (/readyz).
#pragma once

#include <cstdint>
#include <string>

namespace wafd::bench {

struct Started {
  double alone_s = 0;  // without a fleet
  double fleet_s = 0;  // with events and settings in the database
};
// Medians of `rounds`, after a start of each kind that is not counted (it compiles the rules). `program`:
// wafd.
Started start_consoles(const std::string& program, std::uint16_t port, int rounds);

}  // namespace wafd::bench
