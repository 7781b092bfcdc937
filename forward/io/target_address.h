// A receiver as one address, as commands take it.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "detect/core/error.h"

namespace wafd::forward {

// udp://HOST:PORT, tcp://[::1]:601, tls://, relp://HOST, kafka://HOST:PORT/TOPIC,
// postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE; the port may be left out. The answer is what
// parse_target() reads, but for a name. Errors begin with `option`.
Result<boost::json::object> target_members_of(std::string_view address, std::string_view option);

}  // namespace wafd::forward
