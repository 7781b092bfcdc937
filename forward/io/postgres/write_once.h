// One statement that writes, in a session that otherwise reads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "forward/io/postgres/connection.h"

namespace wafd::forward {

std::uint64_t changed_rows(const PgAnswer& answer);
// In a transaction of its own. Fewer rows than `least`: it is as if nothing had been asked. `seen` is told
// before the end: whoever asks again because the answer to COMMIT was lost knows what was done by then.
PgResult<PgAnswer> write_once(PgConnection& connection, const std::string& sql,
                              const std::vector<std::string>& parameters, std::uint64_t least = 0,
                              const std::function<void(const PgAnswer&)>& seen = {});

}  // namespace wafd::forward
