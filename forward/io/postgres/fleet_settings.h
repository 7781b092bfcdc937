// The settings of a fleet as rows of its database, a row a version. For a thread that may wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forward/io/postgres/connection.h"

namespace wafd::forward {

struct FleetSettingsRow {
  std::uint64_t version = 0;
  std::string change_id;  // random, of who stored it
  std::string author, node, comment;
  std::string document, sealed;  // JSON; secrets are in `sealed` alone
  std::int64_t made_ms = 0;      // Unix time by the clock of the database
};

inline constexpr std::uint64_t kKeptFleetSettings = 100;  // versions; older ones go

// 0: there is none yet.
PgResult<std::uint64_t> newest_fleet_settings(PgConnection& connection);
// The newest first.
PgResult<std::vector<FleetSettingsRow>> list_fleet_settings(PgConnection& connection, std::size_t limit);
PgResult<std::optional<FleetSettingsRow>> find_fleet_settings(PgConnection& connection,
                                                              std::uint64_t version);
// Stored if `version` is the one behind the newest. The newest afterwards, without its contents: it is ours
// if its `change_id` is. Asked twice it stores once.
PgResult<FleetSettingsRow> add_fleet_settings(PgConnection& connection, const FleetSettingsRow& row);

}  // namespace wafd::forward
