// The target settings for each receiver that wafd knows, everything together: a framing that does
// not fit is the commonest reason why nothing arrives.
#pragma once

#include <span>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "detect/core/error.h"

namespace wafd::forward {

struct Preset {
  std::string_view id;        // "qradar"
  std::string_view name;      // "IBM QRadar"
  std::string_view about;     // what to know before using it, one or two sentences
  std::string_view files;     // in packaging/receivers, separated by a space
  std::string_view settings;  // JSON object: members of a target; all that a receiver depends on
};

// In alphabetical order of the names.
std::span<const Preset> presets() noexcept;

// `target` on top of the preset's settings: what the object says itself counts, and with another transport
// the preset's port does not. An unknown id is an error that names the known ones.
Result<boost::json::object> with_preset(std::string_view id, const boost::json::object& target);

// For people and pages: [{"id", "name", "about", "files": [...], "settings": {...}}].
boost::json::array presets_json();

}  // namespace wafd::forward
