// Entity tags of settings objects: two people who edit one object must not overwrite each other unknowingly.
#pragma once

#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "console/base/http.h"

namespace wafd::console {

// The object with its tag as member `etag`.
boost::json::object with_etag(boost::json::object object);

// 412 if the request has an If-Match that does not name the object's present tag.
std::optional<HttpResponse> refuse_outdated(const HttpRequest& request, const boost::json::object& present);

// 200 or 201 with the object, its tag in the header too; `location` if it was created.
HttpResponse answer_object(int status, const boost::json::object& tagged, std::string_view location = {});

}  // namespace wafd::console
