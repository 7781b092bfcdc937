// The database of a fleet, as it is given in an address and in files: what `fleet.database` and `wafd fleet`
// have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "detect/core/error.h"
#include "forward/io/postgres/connection.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

struct FleetAddress {
  std::string url;       // postgresql://USER@HOST:PORT/DATABASE?sslmode=MODE
  std::string password;  // file:/PATH or the text; empty: none, or that of the URL
  std::string ca_file;   // PEM; empty: the system's
};

// Errors begin with `option`.
Result<TargetSettings> read_fleet_address(const FleetAddress& address, std::string_view option);

// Its name resolved, each address judged. Waits, until `stop` at most.
Result<std::vector<PgPlace>> resolve_fleet(const TargetSettings& target, const StopSignal& stop);

}  // namespace wafd::forward
