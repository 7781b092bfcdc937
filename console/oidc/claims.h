// JSON objects of a provider: claims (OpenID Connect Core 1.0, section 5), metadata, keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

namespace wafd::console {

// Nothing if the text is another JSON value, or none.
std::optional<boost::json::object> json_object(std::string_view text);

// The text of a claim, or empty.
std::string claim_text(const boost::json::object& claims, std::string_view name);
// The texts of a claim: one, or a list of them. A name that begins with / is a pointer (RFC 6901), such as
// /realm_access/roles.
std::vector<std::string> claim_texts(const boost::json::object& claims, std::string_view name);

}  // namespace wafd::console
