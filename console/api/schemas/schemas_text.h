// The texts behind schemas(): one JSON object each, by topic. "@Name" as a schema stands for a reference;
// "table" in an object schema adds the members of that table of console/base/status_tables.h, "settings"
// those of that object of console/settings/describe.h.
#pragma once

#include <string_view>

namespace wafd::console {

std::string_view people_schemas() noexcept;
std::string_view event_schemas() noexcept;
std::string_view triage_schemas() noexcept;
std::string_view settings_schemas() noexcept;
std::string_view system_schemas() noexcept;
std::string_view notify_schemas() noexcept;
std::string_view fleet_schemas() noexcept;

}  // namespace wafd::console
