// Entity tags of settings objects: two people who edit one object must not overwrite each other unknowingly.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "console/base/http.h"
#include "detect/core/clock.h"

namespace wafd::console {

// The key of digests in tags, kept in the file `etag-key` of the state folder, so that tags outlive a
// restart. Where it cannot be kept it is a new one with every start.
std::string etag_key_of(const std::string& state_dir, Random& random);

// The object with its tag as member `etag`. `hidden` stands for what nobody is shown of it but is part of its
// state: something that says nothing about it to who sees the tag (keyed_digest() in console/base/secrets.h).
boost::json::object with_etag(boost::json::object object, std::string_view hidden = {});

// 412 if the request has an If-Match that does not name the object's present tag.
std::optional<HttpResponse> refuse_outdated(const HttpRequest& request, const boost::json::object& present,
                                            std::string_view hidden = {});

// 200 or 201 with the object, its tag in the header too; `location` if it was created.
HttpResponse answer_object(int status, const boost::json::object& tagged, std::string_view location = {});

}  // namespace wafd::console
