// wafd's tables in a database: made, judged, written to. For a thread that may wait.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "forward/io/postgres/connection.h"
#include "forward/io/postgres/migrations.h"

namespace wafd::forward {

struct PgRow {
  std::string text;                 // for COPY, lines with their ends (copy_row.h)
  std::optional<std::int64_t> day;  // of an event
  bool report = false;              // there is one in it; neither: a notice
};
// The same of a text that lies elsewhere. Texts that lie one behind the other are sent from there.
struct PgRowView {
  std::string_view text;
  std::optional<std::int64_t> day;
  bool report = false;
};

struct PgRetention {
  std::uint32_t days = 0;  // older ones go; 0: none for its age
  std::uint32_t gib = 0;   // of all days with their indexes: the oldest go until it is no more; 0: no limit
};

class PgSession {
 public:
  struct Schema {
    int version = 0;       // 0: the tables are missing
    int writers_from = 0;  // of the newest step
    bool may_make = false;
  };

  explicit PgSession(std::unique_ptr<PgConnection> connection) : connection_(std::move(connection)) {}

  // Checks that the server is new enough and no read-only replica, and sets the parameters of this session.
  PgResult<void> begin();
  PgResult<Schema> schema();
  // Runs the steps that are missing, in one transaction and never beside another writer; errors if the tables
  // are of a newer wafd that an older one must not write to. `steps` is migrations() but in tests.
  PgResult<void> migrate(std::span<const Migration> steps = migrations());
  // Days from yesterday to a week ahead are there afterwards, and what `keep` leaves out is gone. What is
  // denied is told by the first row that finds no day.
  PgResult<void> keep(const PgRetention& keep, std::int64_t today);
  // All rows in one transaction, known ones passed over. An error with `data`: nothing of it is there, and
  // the session goes on. Reports are left out where the user may not add them: reports_denied().
  PgResult<void> write(std::span<const PgRowView> rows);
  PgResult<void> write(std::span<const PgRow> rows);

  // Says that this node is there, and `said`, a JSON object, of itself. Nothing happens where the user may
  // not: beats_denied().
  PgResult<void> beat(const std::string& node, const std::string& instance, std::int64_t now_ms,
                      const std::string& said);

  // For tests of what may be written: the transaction around what follows is taken back.
  PgResult<void> begin_trial();
  PgResult<void> end_trial();

  bool beats_denied() const noexcept { return beats_denied_; }
  bool reports_denied() const noexcept { return may_report_ && !*may_report_; }
  PgConnection& connection() noexcept { return *connection_; }

 private:
  PgResult<void> make_days(std::span<const PgRowView> rows);
  PgResult<void> ask_for_reports();
  PgResult<void> copy_rows(std::span<const PgRowView> rows);

  std::unique_ptr<PgConnection> connection_;
  bool staging_ = false;  // the staging table is there
  bool trial_ = false;
  std::optional<bool> may_report_;  // asked with the first report
  bool beats_denied_ = false;
  std::set<std::int64_t> days_;  // that are known to be there
};

}  // namespace wafd::forward
