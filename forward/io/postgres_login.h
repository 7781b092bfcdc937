// A target's settings as what a connection to PostgreSQL needs: certificates and password are read here.
#pragma once

#include "detect/core/error.h"
#include "forward/io/postgres/connection.h"
#include "forward/target/target_settings.h"

namespace wafd::forward {

// Reads what is file:/PATH. Errors name the member.
Result<PgLogin> postgres_login(const TargetSettings& target);

}  // namespace wafd::forward
