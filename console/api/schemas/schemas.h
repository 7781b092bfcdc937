// JSON schemas (2020-12, as OpenAPI 3.1 takes them) of every body of the API, by name.
#pragma once

#include <boost/json/object.hpp>

namespace wafd::console {

// Built once: {"Target": {…}, "Problem": {…}, …}. References read "#/components/schemas/NAME".
const boost::json::object& schemas();

}  // namespace wafd::console
