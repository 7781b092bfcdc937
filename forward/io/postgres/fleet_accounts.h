// Users, sessions and tokens of all consoles, and their audit logs, as rows whose meaning is the console's.
// For a thread that may wait.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forward/io/postgres/connection.h"

namespace wafd::forward {

struct FleetAccountRow {
  std::string kind, name;
  std::string body;  // base64, colons; empty: the row goes
};

// Two of one number are not the same if another change made them.
struct FleetAccountsVersion {
  std::int64_t number = 0;
  std::string change_id;  // random, of who made it; empty: nobody, or a wafd that said none
  bool operator==(const FleetAccountsVersion&) const = default;
};

struct FleetAccountRows {
  FleetAccountsVersion version;
  bool changed = false;  // no: `rows` is empty, they are those of `version` as before
  std::vector<FleetAccountRow> rows;
  std::string unwritable;  // why no change can be made there; empty: no reason is known
  bool tried = false;      // and one was tried, and taken back
};

inline constexpr std::size_t kMaxAccountRows = 20'000;  // more are an error: nobody made them by a console

// All rows of one moment, if their version is another than `known`.
PgResult<FleetAccountRows> read_accounts(PgConnection& connection,
                                         const std::optional<FleetAccountsVersion>& known);

// The same, and then the try of a change, which is taken back.
PgResult<FleetAccountRows> read_and_try_accounts(PgConnection& connection,
                                                 const std::optional<FleetAccountsVersion>& known);
// The server reads, but takes no changes: a standby, a full disk, no right to it, rows held by somebody else.
bool refuses_changes(std::string_view state) noexcept;

inline constexpr std::size_t kMaxAccountBytes = 65'536;  // of a row; a longer one counts as damaged

// In one transaction: nobody else changes accounts meanwhile. `work` is given what read_accounts() gives and
// answers what to write; nothing (or nothing to write): all stays as it is. Done twice it does harm: an error
// of the state kPgNotHeard is never asked again. `change_id`: at most 64 bytes, of this change alone. Answers
// the version.
using AccountWork = std::function<std::optional<std::vector<FleetAccountRow>>(const FleetAccountRows& now)>;
PgResult<FleetAccountsVersion> change_accounts(PgConnection& connection,
                                               const std::optional<FleetAccountsVersion>& known,
                                               const std::string& change_id, const AccountWork& work);
// The version, once no change is under way any more: whether a change of which nobody heard was made.
PgResult<FleetAccountsVersion> settled_accounts_version(PgConnection& connection);

struct FleetAuditLine {
  std::int64_t seq = 0;
  std::int64_t time_ms = 0;
  std::string line;
};
struct FleetAuditEnd {
  int part = 0;          // 0: there is nothing of this node
  std::int64_t seq = 0;  // of the last line of that part
  std::string line;
};
PgResult<FleetAuditEnd> read_audit_end(PgConnection& connection, const std::string& instance);
// Known ones are passed over. The number of those that are there with another text: then nothing is added.
PgResult<std::int64_t> add_audit(PgConnection& connection, const std::string& instance, int part,
                                 const std::string& node, const std::vector<FleetAuditLine>& lines);

// Newest first; `text`: only lines in which it stands, whatever its case.
struct FleetAuditPage {
  struct Entry {
    std::string node;
    std::string line;
  };
  std::vector<Entry> entries;
  std::string before;  // for the next page; empty: this is the last one
};
PgResult<FleetAuditPage> read_audit(PgConnection& connection, std::size_t limit, const std::string& before,
                                    std::string_view text);
// Whether `text` is a place that read_audit() takes as `before`.
bool is_audit_place(std::string_view text) noexcept;

}  // namespace wafd::forward
