// The texts behind schemas(): one JSON object each, by topic. "@Name" as a schema stands for a reference.
#pragma once

#include <string_view>

namespace wafd::console {

std::string_view people_schemas() noexcept;
std::string_view event_schemas() noexcept;
std::string_view notebook_schemas() noexcept;
std::string_view settings_schemas() noexcept;
std::string_view system_schemas() noexcept;

}  // namespace wafd::console
