// The settings of a fleet as rows of its database, a row a version. For a thread that may wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forward/io/postgres/connection.h"

namespace wafd::forward {

// Which settings they are: after a failover or from a backup another row may have the same number.
struct FleetSettingsId {
  std::uint64_t version = 0;  // 0: there are none yet
  std::string change_id;      // random, of who stored it
  bool operator==(const FleetSettingsId&) const = default;
};

struct FleetSettingsRow {
  std::uint64_t version = 0;
  std::string change_id;
  std::string parent_change;  // for adding: the change_id of the version before; empty: any
  std::string author, node, comment;
  std::string document, sealed;  // JSON; secrets are in `sealed` alone
  std::int64_t made_ms = 0;      // Unix time by the clock of the database
  std::uint64_t size = 0;        // of both as stored; beyond kMaxFleetSettingsBytes they are not read
};

inline constexpr std::uint64_t kKeptFleetSettings = 100;  // versions; older ones go

inline constexpr std::uint64_t kMaxFleetSettingsBytes = 64u << 20;
inline constexpr std::uint64_t kMaxFleetVersion = std::uint64_t{1} << 52;

PgResult<FleetSettingsId> newest_fleet_settings(PgConnection& connection);
// The newest first, without their contents.
PgResult<std::vector<FleetSettingsRow>> list_fleet_settings(PgConnection& connection, std::size_t limit);
PgResult<std::optional<FleetSettingsRow>> find_fleet_settings(PgConnection& connection,
                                                              std::uint64_t version);
// Stored if `version` is the one behind the newest, and that is `parent_change`. Ours where it was stored,
// with others behind it or not, or the newest, without contents; its `change_id` tells. Asked twice it stores
// once.
PgResult<FleetSettingsRow> add_fleet_settings(PgConnection& connection, const FleetSettingsRow& row);

}  // namespace wafd::forward
