#include "forward/io/postgres/fleet_nodes.h"

#include <cstdlib>

#include <fmt/format.h>

#include "forward/io/postgres/write_once.h"

namespace wafd::forward {

PgResult<std::vector<FleetNode>> read_fleet_nodes(PgConnection& connection) {
  const auto answer =
      connection.run(fmt::format("SELECT node, instance, (extract(epoch FROM seen) * 1000)::bigint, "
                                 "(extract(epoch FROM clock_timestamp() - seen) * 1000)::bigint, "
                                 "(extract(epoch FROM clock - seen) * 1000)::bigint, body "
                                 "FROM wafd_nodes ORDER BY node, instance LIMIT {}",
                                 kMaxFleetNodes));
  if (!answer) return tl::unexpected(answer.error());
  std::vector<FleetNode> out;
  for (int row = 0; row < PQntuples(answer->get()); ++row) {
    const auto text = [&](int column) { return std::string(PQgetvalue(answer->get(), row, column)); };
    const auto number = [&](int column) { return std::strtoll(text(column).c_str(), nullptr, 10); };
    out.push_back({text(0), text(1), number(2), number(3), number(4), text(5)});
  }
  return out;
}

PgResult<void> forget_fleet_node(PgConnection& connection, const std::string& instance,
                                 std::set<std::string>& names) {
  const auto done = write_once(connection, "DELETE FROM wafd_nodes WHERE instance = $1 RETURNING node",
                               {instance}, 0, [&](const PgAnswer& gone) {
                                 for (int row = 0; row < PQntuples(gone.get()); ++row)
                                   names.emplace(PQgetvalue(gone.get(), row, 0));
                               });
  if (!done) return tl::unexpected(done.error());
  return {};
}

}  // namespace wafd::forward
