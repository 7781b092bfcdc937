// Every settings object that is described by rows (json/object_rows.h), by its name in the OpenAPI document.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "json/object_rows.h"

namespace wafd::console {

// "Site", "Mask", "Exception", "ListEntry", "System", "Target", "TlsSettings", "PostgresqlSettings",
// "HostPort".
std::span<const std::string_view> described_settings() noexcept;
// Nothing for other names.
std::optional<ObjectDescription> describe_settings(std::string_view object);

}  // namespace wafd::console
