// Who needs a second factor (second_factor_api.cc), for the router and for log-ins.
#pragma once

#include "console/api/routing/route.h"
#include "console/api/services.h"

namespace wafd::console {

// By the settings of the node.
bool needs_factor(const Services& services, Role role);

// A session whose user needs one and has none: it may set one up and nothing else. Tokens are no people.
bool must_enrol(const Services& services, const Identity& identity);

}  // namespace wafd::console
