// Sites, exceptions and lists as JSON: the objects of the HTTP API and of settings.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "detect/core/error.h"
#include "detect/policy/policy.h"
#include "json/object_rows.h"

namespace wafd::console {

inline constexpr std::size_t kMaxHostsPerSite = 256;
inline constexpr std::size_t kMaxNameBytes = 128;
inline constexpr std::size_t kMaxCommentBytes = 1024;
inline constexpr std::size_t kMaxPatternBytes = 1024;
inline constexpr std::size_t kMaxDocumentFields = 256;

// Absent members keep what `from` has (give a default value for a new object). Errors name the member.
// `uuid`, `id`, `author` and `etag` are never read from the object: the caller gives them.
Result<detect::SiteSettings> parse_site(const boost::json::object& object, detect::SiteSettings from);
Result<detect::ExceptionSettings> parse_exception(const boost::json::object& object,
                                                  detect::ExceptionSettings from);
Result<detect::ListEntry> parse_list_entry(const boost::json::object& object, detect::ListEntry from);

// A host of a site or an exception as it is kept: a name, "*." and a name, or an address, without brackets
// and as RFC 5952 writes it. Nothing for what a request's host is never compared as: with a port, a dot at
// its end, an empty label, or other letters.
std::optional<std::string> host_pattern(std::string_view text);

boost::json::object to_json(const detect::SiteSettings& site);
boost::json::object to_json(const detect::ExceptionSettings& exception);
boost::json::object to_json(const detect::ListEntry& entry);

const char* to_string(detect::ListKind) noexcept;  // "allow" | "deny"

// "Mask", "Site", "Exception" and "ListEntry"; nothing for other names.
std::optional<ObjectDescription> describe_policy(std::string_view object);

}  // namespace wafd::console
