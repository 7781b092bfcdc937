#include "forward/io/postgres/write_once.h"

#include <cstdlib>

namespace wafd::forward {

std::uint64_t changed_rows(const PgAnswer& answer) {
  return std::strtoull(PQcmdTuples(answer.get()), nullptr, 10);
}

PgResult<PgAnswer> write_once(PgConnection& connection, const std::string& sql,
                              const std::vector<std::string>& parameters, std::uint64_t least,
                              const std::function<void(const PgAnswer&)>& seen) {
  auto begun = connection.run("BEGIN READ WRITE");
  if (!begun) return begun;
  auto done = connection.run(sql, parameters);
  if (!done) {
    if (!is_lost(done.error())) (void)connection.run("ROLLBACK");
    return done;
  }
  if (seen) seen(*done);
  auto ended = connection.run(changed_rows(*done) < least ? "ROLLBACK" : "COMMIT");
  if (!ended) return ended;
  return done;
}

}  // namespace wafd::forward
