// The report of the week, for the channels that want it.
#pragma once

#include "console/api/services.h"

namespace wafd::console {

// On Mondays from 08:00 in the node's zone, or once a node that was down then is up again, the notifier is
// told of it; it tells people once. Console loop.
void tell_weekly_report(Services& services);

}  // namespace wafd::console
