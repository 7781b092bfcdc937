// The OpenAPI 3.1 document of the API, made from the router's table.
#pragma once

#include <span>

#include <boost/json/object.hpp>

#include "console/api/routing/route.h"

namespace wafd::console {

boost::json::object openapi_document(std::span<const Route> routes, std::string_view version);

}  // namespace wafd::console
