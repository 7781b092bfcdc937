// Brings a node's audit log into the database of its fleet, line by line as it is in the file, and reads
// those of all nodes there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "console/base/audit_log.h"
#include "console/base/audit_pages.h"
#include "console/io/fleet/background_query.h"
#include "forward/io/fleet_database.h"
#include "forward/io/postgres/fleet_accounts.h"

namespace wafd::console {

// On the console loop, but for page(). What was written while the database is away is in the file, and
// brought once it is back.
class FleetAudit final : public AuditPages {
 public:
  static constexpr std::int64_t kRetryMs = 2'000;
  static constexpr std::size_t kMaxLines = 200;  // at once

  struct Parts {
    forward::FleetDatabase& database;  // of what is brought
    forward::FleetDatabase& reading;   // of pages, which may take longer
    AuditLog& log;
    std::string instance;  // of this node
    std::string node;
    Background& pool;
    std::function<void(const std::string&)> warn;
  };

  explicit FleetAudit(Parts parts) : parts_(std::move(parts)), work_(parts_.pool) {}

  void turn(std::int64_t steady_ms);
  Result<std::string> page(std::size_t limit, const std::string& before, std::string_view text) override;
  std::vector<std::string> notes() const override;

 private:
  void place(const forward::FleetAuditEnd& end);
  void bring();
  void note_failed(const std::string& why);

  Parts parts_;
  BackgroundQuery<forward::FleetAuditEnd> work_;
  int part_ = 0;               // 0: not known yet where it goes on
  std::uint64_t brought_ = 0;  // up to this line
  std::int64_t next_ms_ = 0;
  bool anew_ = false;          // another text stands there: a new part, whatever the end is
  std::uint64_t differs_ = 0;  // from this line on it did, last; 0: never
  std::string failed_;         // the last try did; empty: it did not
};

}  // namespace wafd::console
