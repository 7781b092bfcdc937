// The keys of the configuration as its reader needs them; the table itself is in config.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config.h"

namespace wafd {

using ConfigValue = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;

bool is_config_key(std::string_view name) noexcept;    // "ingest.t1k.listen"
bool is_config_group(std::string_view name) noexcept;  // "ingest", "ingest.t1k"
std::string config_key_expects(std::string_view key);  // "workers: expected an integer"
// An error names the key and what was expected. `key` must be one.
Result<void> store_config(std::string_view key, const ConfigValue& value, Config& config);

}  // namespace wafd
